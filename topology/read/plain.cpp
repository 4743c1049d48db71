#include "topology/read/plain.h"

#include <array>
#include <map>
#include <optional>

#include "base/parse_value.h"
#include "topology/read/context.h"
#include "topology/read/text_scan.h"

namespace treering::topology {
namespace {

template <class Kind>
std::optional<Kind> kind_named(std::string_view word, Kind last) {
  for (int i = 0; i <= static_cast<int>(last); ++i)
    if (name_of(static_cast<Kind>(i)) == word) return static_cast<Kind>(i);
  return std::nullopt;
}

/// One line: what follows its key word, as plain words and as NAME=VALUE.
class Line {
 public:
  Line(std::string_view text, std::size_t number) : number_(number) {
    for (const std::string_view word : words_of(text)) {
      const std::size_t equals = word.find('=');
      if (equals == std::string_view::npos)
        words_.push_back(word);
      else if (!values_.emplace(word.substr(0, equals), word.substr(equals + 1)).second)
        fail("says " + quoted(word.substr(0, equals)) + " twice");
    }
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw Unreadable("line " + std::to_string(number_) + " " + why);
  }

  const std::vector<std::string_view>& words() const { return words_; }

  std::string_view take(std::string_view name) {
    const auto found = values_.find(name);
    if (found == values_.end()) return {};
    const std::string_view value = found->second;
    values_.erase(found);
    return value;
  }

  std::int64_t take_integer(std::string_view name, std::int64_t otherwise, std::int64_t least, std::int64_t most) {
    const std::string_view text = take(name);
    if (text.empty()) return otherwise;
    const auto value = to_integer(text, least, most);
    if (!value)
      fail("has " + std::string(name) + "=" + quoted(text) + ", expected a whole number from " + std::to_string(least) +
           " to " + std::to_string(most));
    return *value;
  }

  std::int64_t take_speed(std::string_view name) {
    const std::string_view text = take(name);
    if (text.empty()) return 0;
    return speed(text);
  }

  std::int64_t speed(std::string_view text) const {
    const auto value = to_speed(text);
    if (!value) fail("has " + quoted(text) + " for a speed, expected e.g. 25000 (MB/s), 25GB/s or 200Gbit/s");
    return *value;
  }

  void expect_nothing_more() const {
    if (!values_.empty()) fail("has " + quoted(values_.begin()->first) + ", which means nothing there");
  }

 private:
  std::size_t number_;
  std::vector<std::string_view> words_;
  std::map<std::string_view, std::string_view> values_;
};

class PlainReader {
 public:
  explicit PlainReader(ReadContext& context) : context_(context), graph_(context.graph()) {}

  void read(std::string_view text) {
    std::size_t number = 0;
    for (std::string_view content : lines_of(text)) {
      ++number;
      content = trimmed(content.substr(0, content.find('#')));
      if (content.empty()) continue;
      Line line(content, number);
      take(line);
      line.expect_nothing_more();
    }
    if (!started_) throw Unreadable("there is no line 'treering-topology 1'");
  }

 private:
  void take(Line& line) {
    const std::string_view key = line.words().empty() ? std::string_view() : line.words()[0];
    if (!started_) {
      if (key != "treering-topology") line.fail("comes before 'treering-topology 1'");
      if (line.words().size() != 2 || line.words()[1] != "1") line.fail("asks for a version other than 1");
      started_ = true;
    } else if (key == "node") {
      take_node(line);
    } else if (key == "link") {
      take_link(line);
    } else if (key == "domain") {
      take_domain(line);
    } else if (key == "class") {
      take_class(line);
    } else if (key == "unit" && line.words().size() == 2) {
      graph_.count_unit = safe_name(line.words()[1], "links");
    } else {
      line.fail("begins with " + quoted(key) + ", expected node, link, domain, class or unit");
    }
  }

  void take_node(Line& line) {
    if (line.words().size() != 3) line.fail("should be: node NAME KIND [number=N ...]");
    const auto kind = kind_named(line.words()[2], NodeKind::other);
    if (!kind)
      line.fail("has " + quoted(line.words()[2]) + " for a kind, expected gpu, nvswitch, switch, cpu, nic or other");
    HardwareNode node;
    node.kind = *kind;
    node.name = safe_name(line.words()[1], "?", 128);  // other readers put words before names of 64
    if (graph_.find(node.name) >= 0) line.fail("names " + quoted(node.name) + " a second time");
    node.number = static_cast<int>(line.take_integer("number", -1, 0, 1 << 20));
    node.architecture = static_cast<int>(line.take_integer("sm", 0, 10, 10000));
    node.bus_id = safe_name(line.take("bus"), "");
    node.detail = std::string(line.take("detail"));
    for (char& c : node.detail) c = c == '_' ? ' ' : c;
    node.port_out = line.take_speed("out");
    node.port_in = line.take_speed("in");
    const std::string_view parent = line.take("parent");
    if (!parent.empty()) node.parent = named(line, parent);
    node.found = node.port_speed = context_.stated();
    graph_.add_node(std::move(node));
  }

  int named(const Line& line, std::string_view name) const {
    const int index = graph_.find(name);
    if (index < 0) line.fail("names " + quoted(name) + ", which no line before it declares");
    return index;
  }

  void take_link(Line& line) {
    const bool one_way = line.words().size() == 5 && line.words()[4] == "one-way";
    if (line.words().size() != 4 && !one_way)
      line.fail("should be: link FROM TO KIND [one-way] [count=N speed=SPEED ...]");
    const auto kind = kind_named(line.words()[3], LinkKind::direct);
    if (!kind)
      line.fail("has " + quoted(line.words()[3]) + " for a kind, expected nvlink, xgmi, c2c, pcie, bus or direct");
    HardwareLink link;
    link.from = named(line, line.words()[1]);
    link.to = named(line, line.words()[2]);
    if (link.from == link.to) line.fail("links " + quoted(line.words()[1]) + " with itself");
    link.kind = *kind;
    link.count = static_cast<int>(line.take_integer("count", 1, 1, HardwareGraph::most_count));
    link.capacity = link.count * line.take_speed("speed");
    link.latency_ns = line.take_integer("latency", 0, 0, 1'000'000'000);
    const std::string_view domain = line.take("domain");
    if (!domain.empty()) link.domain = domain_named(line, domain);
    link.found = link.speed = context_.stated();
    one_way ? graph_.add_link(link) : graph_.add_both(link);
  }

  int domain_named(const Line& line, std::string_view name) const {
    const auto found = domains_.find(name);
    if (found == domains_.end()) line.fail("names the domain " + quoted(name) + ", which no line before it declares");
    return found->second;
  }

  void take_domain(Line& line) {
    if (line.words().size() != 3) line.fail("should be: domain NAME SPEED");
    SharedDomain domain{safe_name(line.words()[1], "?"), line.speed(line.words()[2]), context_.stated()};
    if (domains_.contains(domain.name)) line.fail("names " + quoted(domain.name) + " a second time");
    const std::string name = domain.name;
    domains_[name] = graph_.add_domain(std::move(domain));
  }

  void take_class(Line& line) {
    if (line.words().size() != 4) line.fail("should be: class NAME NAME CLASS");
    const auto path = kind_named(line.words()[3], PathClass::none);
    if (!path) line.fail("has " + quoted(line.words()[3]) + " for a class, expected PIX, PXB, PHB, NODE, SYS or DIS");
    graph_.state(named(line, line.words()[1]), named(line, line.words()[2]), *path);
  }

  ReadContext& context_;
  HardwareGraph& graph_;
  std::map<std::string, int, std::less<>> domains_;
  bool started_ = false;
};

std::string node_line(const HardwareGraph& graph, const HardwareNode& node) {
  std::string line = "node " + node.name + " " + std::string(name_of(node.kind));
  const auto add = [&](const char* name, const std::string& value) { line += " " + std::string(name) + "=" + value; };
  if (node.number >= 0) add("number", std::to_string(node.number));
  if (node.architecture > 0) add("sm", std::to_string(node.architecture));
  if (!node.bus_id.empty()) add("bus", node.bus_id);
  if (node.parent >= 0) add("parent", graph.node(node.parent).name);
  if (node.port_out > 0) add("out", std::to_string(node.port_out));
  if (node.port_in > 0) add("in", std::to_string(node.port_in));
  std::string detail = node.detail;
  for (char& c : detail) c = c == ' ' || c == '#' ? '_' : c;
  if (!detail.empty()) add("detail", detail);
  return line + "\n";
}

std::string link_line(const HardwareGraph& graph, const HardwareLink& link, bool one_way) {
  std::string line = "link " + graph.node(link.from).name + " " + graph.node(link.to).name + " " +
                     std::string(name_of(link.kind)) + (one_way ? " one-way" : "");
  // Parallel links that are not equally fast are written as one.
  const bool even = link.capacity % link.count == 0;
  if (even && link.count > 1) line += " count=" + std::to_string(link.count);
  if (link.capacity > 0) line += " speed=" + std::to_string(even ? link.capacity / link.count : link.capacity);
  if (link.latency_ns > 0) line += " latency=" + std::to_string(link.latency_ns);
  if (link.domain >= 0) line += " domain=" + graph.domains()[static_cast<std::size_t>(link.domain)].name;
  return line + "\n";
}

/// Nodes in an order in which parents come first.
std::vector<int> parents_first(const HardwareGraph& graph) {
  std::vector<int> order;
  std::vector<bool> done(graph.nodes().size());
  for (std::size_t i = 0; i < done.size(); ++i) {
    std::vector<int> chain;
    for (int at = static_cast<int>(i); at >= 0 && !done[static_cast<std::size_t>(at)]; at = graph.node(at).parent) {
      chain.push_back(at);
      done[static_cast<std::size_t>(at)] = true;
    }
    order.insert(order.end(), chain.rbegin(), chain.rend());
  }
  return order;
}

}  // namespace

void read_plain(std::string_view text, ReadContext& context) { PlainReader(context).read(text); }

std::string plain_text(const HardwareGraph& graph) {
  std::string text = "treering-topology 1\n";
  if (graph.count_unit != "links") text += "unit " + graph.count_unit + "\n";
  for (const int node : parents_first(graph)) text += node_line(graph, graph.node(node));
  for (const SharedDomain& domain : graph.domains())
    text += "domain " + domain.name + " " + std::to_string(domain.capacity) + "\n";
  std::map<std::array<std::int64_t, 7>, int> unmatched;  // how often each direction still waits for its counterpart
  const auto key = [](const HardwareLink& link, int from, int to) {
    return std::array<std::int64_t, 7>{
        from, to, static_cast<int>(link.kind), link.count, link.capacity, link.latency_ns, link.domain};
  };
  for (const HardwareLink& link : graph.links()) ++unmatched[key(link, link.from, link.to)];
  for (const HardwareLink& link : graph.links()) {
    if (--unmatched[key(link, link.from, link.to)] < 0) continue;
    const bool both = --unmatched[key(link, link.to, link.from)] >= 0;
    text += link_line(graph, link, !both);
  }
  for (const StatedClass& stated : graph.stated())
    text += "class " + graph.node(stated.a).name + " " + graph.node(stated.b).name + " " +
            std::string(name_of(stated.path)) + "\n";
  return text;
}

}  // namespace treering::topology
