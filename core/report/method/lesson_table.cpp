#include "core/report/method/lesson.h"

namespace hw {
namespace {

constexpr std::string_view kInception = "samples:inception";
/// As in the worked examples of docs/methods.md: nothing is shared or rounded.
constexpr std::string_view kWorked[] = {"align", "1", "alias", "none"};
constexpr std::string_view kTwoDevices[] = {"align", "1",        "alias",
                                            "none",  "platform", "two-devices"};

constexpr LessonStop kBlockIdStops[] = {
    {"", 0, "Numbers first, addresses last",
     "The method walks through the operators once, in the order in which they run. It hands out "
     "numbers of blocks and thinks of no address. Three things are kept: the general list of all "
     "blocks with their capacities, the idle list of those that nobody holds, and the mapping "
     "table that says which tensor was given which block."},
    {"s", 1, "Nobody is idle: a new block",
     "The stem writes s, 48 bytes. The idle list is empty, so block 0 is created with just that "
     "capacity and joins the general list. The graph's input x has no block: it belongs to "
     "whoever calls the network."},
    {"q", 2, "A last use makes a block idle",
     "r has been computed, and with that q was read for the last time. Its block 2 goes to the end "
     "of the idle list and keeps its 24 bytes of capacity. Outputs get their blocks before inputs "
     "give up theirs, so an operator never writes over what it reads."},
    {"u", 1, "The front of the idle list",
     "u is born and takes the block that has been idle longest. It is a block of 24 bytes for a "
     "tensor of 8. The hatched rest is not free: no other tensor can have it as long as u holds "
     "the block."},
    {"w", 2, "A block grows",
     "w needs 64 bytes, and the block in front of the idle list has 24. The method does not look "
     "for a better one: the block grows to 64. Since nothing has an address yet, growing costs no "
     "move; it costs capacity for the whole run."},
    {"y", 1, "Four bytes in a block of sixteen",
     "The output y takes the first idle block and leaves most of it unused. In the end every block "
     "begins where the capacities of those before it end, and the arena is their sum: 160 bytes. "
     "128 would do."},
};

constexpr LessonStop kTwoSidedStops[] = {
    {"", 0, "Begin at the end",
     "This method walks from the last operator to the first. Memory has an origin; one stack grows "
     "up from it, to the right, and one grows down, to the left. What is pushed early dies late, "
     "and that is why stacks are enough."},
    {"y", 1, "What the graph hands out",
     "Final tensors are pushed first, all on the right. There is only y. The dashed boundaries say "
     "how far each side ever reached: together they are what the plan will need."},
    {"w", 1, "The side that lets more bytes go",
     "The current tensor is y, and w is the input of the operator that writes it. If w went to the "
     "right it would cover y, and y could not pop. On the left it covers nothing: 4 bytes can go "
     "at once, so left it is."},
    {"y", 4, "Recycled, and popped",
     "All inputs of y's operator have places, so y is recycled: before this operator runs it need "
     "not exist. A recycled tensor at the top of its stack pops, and its bytes can be had again. "
     "One further down waits until everything above it has gone."},
    {"r", 1, "Three inputs, one side",
     "p, r and v are inputs of the concat that writes w. Each push on the right keeps w free to "
     "pop on the left, 64 bytes of it. So all three stand on the right, in the order of their "
     "numbers."},
    {"s", 1, "Parked below what lives longer",
     "s is an input of three branches, but it is met last in this walk: it stands on p and r, "
     "which were there first, although neither is born yet when s is written. The right boundary "
     "moves to 96, and the rest of the walk does not bring it back."},
    {"r", 4, "Recycled, but not on top",
     "r's operator has what it needs, so r is recycled. It is hatched and stays: s lies above it. "
     "Bytes that are recycled and not on top are what this method wastes."},
    {"p", 5, "Back at the input",
     "s goes, and everything that waited below it pops with it. Both stacks are empty. The left "
     "boundary is added to every position, so that the lowest address is 0: 64 and 96 make 160 "
     "bytes."},
};

constexpr LessonStop kPartitionStops[] = {
    {"", 0, "Who runs what",
     "Operators are dealt out to the devices of a platform in the order in which they run: to the "
     "first device listed that supports them. A run of operators on one device is a sub-function, "
     "a run on one of its compute units an execution unit. Here A has a unit for Conv and one for "
     "Relu, and B has one for Add and Softmax."},
    {"", 1, "A sub-function is dispatched",
     "Conv, Relu and Conv run on A: they are sent there at once. Inside A they are three execution "
     "units, for the compute unit changes twice."},
    {"b", 1, "A block with a use count",
     "What a unit writes lives in one block, and the block has a use count: how many units of its "
     "device, transfers to other devices and outputs of the graph still need it. The block of unit "
     "1 holds b. The next Conv reads b, and B will need it: two uses."},
    {"a", 3, "Counting down",
     "Unit 1 is through, and it was the only one to read a. The count of unit 0's block falls from "
     "1 to 0. Only then may its bytes be reused; a graph output would keep them for ever."},
    {"c", 1, "Reused",
     "The block of unit 2, 5 bytes for c, takes the lowest part of what x and a have left. The "
     "blocks are placed by any allocator; here it is the free list, which plays below."},
    {"b", 3, "Two becomes one",
     "Unit 2 has read b. The block of unit 1 is still needed once: by the transfer to B, which has "
     "not begun. Nobody on A will read b again, and yet its bytes cannot go."},
    {"b", 5, "A transfer",
     "B's sub-function begins with Add, which reads b and c. Both are copied at its first step, "
     "each into a block of its own on B. During that step they live on both devices."},
    {"b", 7, "The last use",
     "The copy is made, and the count on A falls to 0. From here on b lives on B only."},
    {"y", 1, "Two tensors in one block",
     "Add and Softmax are one execution unit, so d and y share its block. They meet, so they do "
     "not share bytes. Since y is an output of the graph, the block is kept to the end."},
};

constexpr LessonStop kFreeListStops[] = {
    {"", 0, "A row of used and free blocks",
     "Memory up to the frontier is a row of blocks, each of them used or free. A tensor asks L2, "
     "and L3 only if L2 has no room. The free list is searched in a fixed order: a block of "
     "exactly the size, else the largest that is larger, else the last block and some more, else "
     "fresh bytes behind the frontier."},
    {"s", 1, "Fresh bytes",
     "Nothing is free yet, so s is put at the frontier, which moves up by 48. It never moves back. "
     "What was looked at is listed below the memory, each candidate as large as the tensor."},
    {"p", 1, "A block is cut",
     "x has gone and left 24 bytes. p wants 16; no free block has exactly that size, so the "
     "largest "
     "one is split. p takes the low end, and 8 bytes stay in the free list."},
    {"q", 1, "Too small",
     "q wants 24 bytes, and the only free block has 8. It is passed over, and the frontier moves. "
     "A candidate that is too small sticks out over its neighbour."},
    {"u", 1, "Reused as it is",
     "u wants exactly the 8 bytes that are free. An exact fit goes before everything else: nothing "
     "is cut, nothing is left over."},
    {"s", 2, "Neighbours join",
     "s is released. Its 48 bytes join the 24 beside them that q has left: one free block of 72. "
     "Without this, memory would crumble into pieces that nobody can use."},
    {"v", 1, "Sixteen bytes in the wrong corner",
     "v takes its 16 bytes from the low end of the 72, as always. 56 are left. A moment later "
     "somebody will want 64, but a method that looks at one tensor at a time cannot know."},
    {"w", 1, "What it costs",
     "w wants 64 bytes. There are 56 in one piece and 8 more elsewhere, which does not help. The "
     "frontier moves to 192, where 128 would have done."},
};

constexpr LessonStop kPlacementStops[] = {
    {"", 0, "A plan is a sequence of placements",
     "Tensors get their places one after the other, in the order in which they are written. What a "
     "sequence costs is its area: from the lowest to the highest byte it ever used. For each "
     "tensor there are several kinds of places, and all of them are priced."},
    {"s", 1, "Above or below",
     "s can grow above the area or below it; both lead to 72 bytes. The kind decides: above comes "
     "before below. The place not taken goes on the stack with the area it leads to, and may be "
     "tried later."},
    {"p", 1, "Into a gap",
     "x is dead, and p fits into the 24 bytes that it leaves, at their low or high end. Neither "
     "makes the area larger. Growing above would lead to 88, so it goes to the stack below the "
     "other one."},
    {"v", 1, "A choice that looks harmless",
     "v fits into two places of the same gap, [24, 96), and both cost nothing. The lower address "
     "is taken, and the high end goes on the stack. How much that matters is seen with the next "
     "tensor."},
    {"w", 1, "The first sequence turns out badly",
     "w needs 64 bytes in one piece, and the gap has only 56 left. The area grows to 192. This is "
     "where the free list ends, too."},
    {"", 1, "Back to the stack",
     "The first sequence is complete with 192 bytes: that is the one to beat. Now the stack is "
     "popped, from its top. Entries whose area is no smaller than the best are dropped without a "
     "further look."},
    {"v", 2, "The other end of the gap",
     "This entry leads to 128, which is less than 192. The sequence is cut back to before v, and v "
     "takes the high end. What comes after is placed anew, by priority."},
    {"", 2, "The bound is reached",
     "w fits below v, and the area stays at 128. No plan can be smaller than the most bytes that "
     "live at once, and these are 128: so the search ends with a proof."},
};

constexpr LessonStop kGreedyStops[] = {
    {"", 0, "All tensors at once",
     "This method does not follow the run. It sees all tensors with their sizes and lives before "
     "it places the first, and it may take them in any order it likes."},
    {"", 1, "The largest first",
     "The queue is sorted by size. Large tensors are hard to fit in, small ones find a place "
     "almost anywhere: so the large ones choose first."},
    {"w", 1, "At the bottom",
     "Nobody is there yet, and w lies at 0. Width is its life, height its size: placing is packing "
     "rectangles whose left and right edges are given."},
    {"v", 1, "The gaps around neighbours",
     "Only tensors that live at the same time matter. Between those that are placed already there "
     "are gaps; each one that is large enough is a candidate, and the rule of the method picks "
     "one."},
    {"y", 1, "The smallest comes last",
     "y takes what is there for it. No placement is ever taken back, and that is the difference "
     "to a search."},
};

constexpr Lesson kLessons[] = {
    {"block-id", "Block identifiers",
     "A runtime that cannot move pointers into one arena can still hand out blocks. This method "
     "says how many blocks to create before the run, how large, and which tensor gets which.",
     kInception, kWorked, kBlockIdStops,
     "It is trivial to carry out: create the blocks once, and swap pointers. It pays with blocks "
     "that are larger than their tenants."},
    {"two-sided", "Two stacks from the end",
     "A stack is the simplest memory manager there is. This method uses two of them, on both sides "
     "of one origin, and plays the network backwards.",
     kInception, kWorked, kTwoSidedStops,
     "It is quick, and good on chains, where tensors alternate between the sides. What lives "
     "across many operators gets buried."},
    {"partition", "Devices, units and use counts",
     "Several devices share the work, each with a memory of its own. Memory is managed by what "
     "runs together, and counters say when it may be used again.",
     "samples:two_devices", kTwoDevices, kPartitionStops,
     "It says who owns which bytes on every device, and when they must be sent. A block is "
     "reserved "
     "as a whole, its unused end included; any allocator can place the blocks."},
    {"free-list", "Free blocks in L2 and L3",
     "What an allocator at run time would do, done ahead of it: a list of free blocks, cut and "
     "joined as tensors come and go.",
     kInception, kWorked, kFreeListStops,
     "It needs no knowledge of the future, so it works where tensors are not known in advance. It "
     "also has no defence against leaving the wrong hole."},
    {"placement-search", "Placement sequences",
     "A greedy method takes the best place and lives with it. This one remembers the places it did "
     "not take, and comes back.",
     kInception, kWorked, kPlacementStops,
     "It finds the bound where greedy methods miss it, and says so. The number of sequences grows "
     "quickly, so large networks need a budget."},
    {"greedy-by-size", "A peer: the largest first",
     "The published methods have peers in inference engines. This one is the most common: it "
     "places "
     "tensors by size, each in a gap that is left between those placed before.",
     kInception, kWorked, kGreedyStops,
     "It is fast and close to the bound on most networks. It has to know every lifetime "
     "beforehand."},
};

}  // namespace

std::span<const Lesson> lessons() { return kLessons; }

}  // namespace hw
