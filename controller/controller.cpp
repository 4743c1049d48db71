#include "controller/controller.h"

#include "controller/impl.h"

namespace treering::controller {

Controller::Controller(const transport::World& world, const Tunables& tunables, const Clock& clock,
                       transport::MessageEdge* parent, std::vector<transport::MessageEdge*> children,
                       std::size_t definitions)
    : impl_(std::make_unique<Impl>(world, tunables, clock, parent, std::move(children), definitions)) {}
Controller::~Controller() = default;
void Controller::request(Token token, std::shared_ptr<const Request> request) {
  impl_->request(token, std::move(request));
}
void Controller::leave() { impl_->leave(); }
void Controller::executed(std::uint64_t bytes) { impl_->executed(bytes); }
bool Controller::step() { return impl_->step(); }
std::optional<Event> Controller::next() { return impl_->next(); }
std::optional<Nanoseconds> Controller::next_timer() const { return impl_->next_timer(); }
std::string Controller::dump() const { return impl_->dump(); }

}  // namespace treering::controller
