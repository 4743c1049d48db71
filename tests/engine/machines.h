#pragma once

#include <string>

namespace treering::test {

/// Machines on which no star fits, in the formats that the readers take.
inline const std::string path_of_4 = R"(0 1 0 0
1 0 1 0
0 1 0 1
0 0 1 0
)";

inline const std::string cycle_of_8 = R"(0 1 0 0 0 0 0 1
1 0 1 0 0 0 0 0
0 1 0 1 0 0 0 0
0 0 1 0 1 0 0 0
0 0 0 1 0 1 0 0
0 0 0 0 1 0 1 0
0 0 0 0 0 1 0 1
1 0 0 0 0 0 1 0
)";

/// A binary tree whose links are of different width.
inline const std::string binary_tree_of_8 = R"(0 4 3 0 0 0 0 0
4 0 0 2 2 0 0 0
3 0 0 0 0 1 2 0
0 2 0 0 0 0 0 1
0 2 0 0 0 0 0 0
0 0 1 0 0 0 0 0
0 0 2 0 0 0 0 0
0 0 0 1 0 0 0 0
)";

/// Three devices at one memory, five at the other, and little between the two.
inline const std::string two_domains_of_8 = R"(treering-topology 1
node numa0 cpu number=0
node numa1 cpu number=1
node d0 gpu number=0 parent=numa0
node d1 gpu number=1 parent=numa0
node d2 gpu number=2 parent=numa0
node d3 gpu number=3 parent=numa1
node d4 gpu number=4 parent=numa1
node d5 gpu number=5 parent=numa1
node d6 gpu number=6 parent=numa1
node d7 gpu number=7 parent=numa1
link d0 numa0 pcie speed=20GB/s
link d1 numa0 pcie speed=20GB/s
link d2 numa0 pcie speed=20GB/s
link d3 numa1 pcie speed=20GB/s
link d4 numa1 pcie speed=20GB/s
link d5 numa1 pcie speed=20GB/s
link d6 numa1 pcie speed=20GB/s
link d7 numa1 pcie speed=10GB/s
link numa0 numa1 bus speed=6GB/s
)";

/// A circle that is wide one way and narrow the other.
inline const std::string one_way_circle_of_5 = R"(0 4 0 0 1
1 0 4 0 0
0 1 0 4 0
0 0 1 0 4
4 0 0 1 0
)";

/// A host without devices: two NUMA domains, whose numbers are not 0 and 1.
inline const std::string two_numa_domains = R"(treering-topology 1
node NUMA0 cpu number=0
node NUMA4 cpu number=4
link NUMA0 NUMA4 bus speed=6GB/s
)";

}  // namespace treering::test
