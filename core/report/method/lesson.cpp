#include "core/report/method/lesson.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/files/sha256.h"
#include "core/import/samples.h"
#include "core/picture/stage/stage.h"
#include "core/picture/svg_canvas.h"
#include "core/run/options.h"

namespace hw {

const Lesson* findLesson(std::string_view name) {
  const auto found = std::ranges::find(lessons(), name, &Lesson::name);
  return found == lessons().end() ? nullptr : &*found;
}

Result<std::shared_ptr<const Run>> lessonRun(const Lesson& lesson) {
  OptionTexts texts;
  for (std::size_t i = 0; i + 1 < lesson.options.size(); i += 2) {
    texts[std::string(lesson.options[i])].emplace_back(lesson.options[i + 1]);
  }
  texts["allocator"] = {std::string(lesson.name)};
  HW_TRY(request, readRequest(texts, planningRequest(), "--"));
  request.model = lesson.model;
  HW_TRY(model, openModel(request.model, {}));
  return executeOnce(std::move(model), request, {.simulate = false, .record = true});
}

std::vector<std::size_t> stopTicks(const Lesson& lesson, const Run& run,
                                   const MethodRecord& record) {
  const auto isAbout = [&](const MethodTick& tick, std::string_view tensor) {
    const bool known = tick.stay && run.problem.stays.contains(tick.stay);
    return known ? run.stayName(tick.stay) == tensor : tensor.empty();
  };
  std::vector<std::size_t> ticks;
  for (const LessonStop& stop : lesson.stops) {
    std::size_t turn = 0;
    std::size_t at = ticks.empty() ? 0 : ticks.back();
    for (std::size_t tick = 0; stop.turn > 0 && tick < record.ticks.size(); ++tick) {
      if (!isAbout(record.ticks[tick], stop.tensor) || ++turn < stop.turn) continue;
      at = tick + 1;
      break;
    }
    ticks.push_back(at);
  }
  return ticks;
}

std::string lessonCommand(std::string_view allocator) {
  return fmt::format("highwater plan model.onnx --allocator {0} --stage {0}.html", allocator);
}

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
     "largest one is split. p takes the low end, and 8 bytes stay in the free list."},
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
     "reserved as a whole, its unused end included; any allocator can place the blocks."},
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
     "places tensors by size, each in a gap that is left between those placed before.",
     kInception, kWorked, kGreedyStops,
     "It is fast and close to the bound on most networks. It has to know every lifetime "
     "beforehand."},
};

}  // namespace

std::span<const Lesson> lessons() { return kLessons; }

namespace {

constexpr std::string_view kMethodStyles = R"(
*{box-sizing:border-box}body{margin:0;background:var(--window);color:var(--text);
font:16px/1.55 "DejaVu Sans",Helvetica,sans-serif}
main{max-width:1180px;margin:0 auto;padding:24px 20px 48px}
h1{font-size:27px;margin:0 0 6px}h2{font-size:18px;margin:32px 0 8px}
p{margin:8px 0;max-width:72em}nav{margin:0 0 18px;font-size:14px}nav a,nav b{margin-right:14px}
a{color:var(--link)}
figure{margin:14px 0 0;background:var(--plot);border:1px solid var(--grid);border-radius:8px;
overflow:hidden}
svg{width:100%;height:auto;display:block}
.deck{display:flex;flex-wrap:wrap;gap:6px;align-items:center;padding:8px 10px;
border-top:1px solid var(--grid)}.deck[hidden]{display:none}
button{font:inherit;font-size:14px;color:var(--text);background:var(--window);cursor:pointer;
border:1px solid var(--axis);border-radius:6px;min-width:40px;padding:3px 10px}
button:focus-visible,input:focus-visible{outline:3px solid var(--selection);outline-offset:1px}
.deck input{flex:1 1 160px;min-width:120px;accent-color:var(--selection)}
.deck output{min-width:9em;text-align:right;font-variant-numeric:tabular-nums}
ol{padding-left:1.4em;max-width:72em}li{margin:0 0 10px;padding:6px 10px;border-radius:6px;
border-left:4px solid transparent}
li.now{background:var(--plot);border-left-color:var(--accent)}
li button{margin-left:8px;padding:0 8px;font-size:13px}
pre{background:var(--plot);border:1px solid var(--grid);border-radius:8px;padding:10px 14px;
overflow-x:auto;font:14px/1.5 "DejaVu Sans Mono",monospace}
footer{color:var(--muted);font-size:12px;margin-top:32px;overflow-wrap:anywhere}
)";

constexpr std::string_view kScript = R"(
for (const stage of document.querySelectorAll('.stage')) {
  const svg = stage.querySelector('svg');
  const last = Number(stage.dataset.ticks), seconds = Number(stage.dataset.seconds);
  const slider = stage.querySelector('input'), place = stage.querySelector('output');
  const playing = stage.querySelector('.play');
  const stops = [...stage.querySelectorAll('li')];
  let tick = 0, timer = 0;
  const show = to => {
    tick = Math.max(0, Math.min(last, to));
    svg.setCurrentTime((tick + 0.5) * seconds);
    slider.value = tick;
    place.textContent = tick + ' of ' + last;
    let now = -1;
    stops.forEach((stop, i) => { if (Number(stop.dataset.tick) <= tick) now = i; });
    stops.forEach((stop, i) => stop.classList.toggle('now', i === now));
  };
  const play = on => {
    clearInterval(timer);
    timer = on ? setInterval(() => tick < last ? show(tick + 1) : play(false), seconds * 1000) : 0;
    playing.textContent = on ? '❚❚' : '▶';
    playing.setAttribute('aria-label', on ? 'Pause' : 'Play');
  };
  const go = to => { play(false); show(to); };
  const acts = {start: () => go(0), back: () => go(tick - 1), next: () => go(tick + 1),
    end: () => go(last), play: () => { if (!timer && tick === last) show(0); play(!timer); }};
  for (const [name, act] of Object.entries(acts)) {
    stage.querySelector('.' + name).addEventListener('click', act);
  }
  slider.addEventListener('input', () => go(Number(slider.value)));
  for (const stop of stops) {
    const button = stop.querySelector('button');
    button.hidden = false;
    button.addEventListener('click', () => {
      go(Number(stop.dataset.tick));
      stage.scrollIntoView({block: 'start'});
    });
  }
  stage.addEventListener('keydown', event => {
    const keys = {'.': acts.next, ',': acts.back, Home: acts.start, End: acts.end};
    const space = event.key === ' ' && event.target.tagName !== 'BUTTON';
    const act = space ? acts.play : keys[event.key];
    if (act) { act(); event.preventDefault(); }
  });
  svg.pauseAnimations();
  stage.querySelector('.deck').hidden = false;
  show(Number((location.hash.match(/tick=(\d+)/) || [0, 0])[1]));
}
)";

std::string base64(std::string_view hex) {
  static constexpr std::string_view kSixBits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  unsigned bits = 0;
  int count = 0;
  for (const char c : hex) {
    bits = bits << 4U | static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
    count += 4;
    while (count >= 6) {
      count -= 6;
      text += kSixBits[bits >> static_cast<unsigned>(count) & 63U];
    }
  }
  if (count > 0) text += kSixBits[bits << static_cast<unsigned>(6 - count) & 63U];
  while (text.size() % 4 != 0) text += '=';
  return text;
}

std::string methodStyles() {
  constexpr std::pair<std::string_view, Ink> kNames[] = {
      {"window", Ink::window}, {"plot", Ink::plot},      {"grid", Ink::grid},
      {"text", Ink::text},     {"muted", Ink::muted},    {"accent", Ink::accent},
      {"axis", Ink::axis},     {"link", Ink::highWater}, {"selection", Ink::selection}};
  std::string text = inkStyles() + ":root{color-scheme:light dark;";
  for (const auto& [name, ink] : kNames) text += fmt::format("--{}:{};", name, inkVariable(ink));
  return text + "}" + std::string(kMethodStyles);
}

/// `text` as markup; `code` where the words come from a model.
std::string words(std::string_view text) { return escapeMarkup(text); }

class MethodPage {
 public:
  MethodPage(const Run& run, const Lesson* lesson) : run_(run), lesson_(lesson) {}

  std::string write() {
    const std::string title =
        lesson_ ? std::string(lesson_->title)
                : fmt::format("How {} planned {}", run_.request.allocator.info->name,
                              printable(run_.model->name, 80));
    head(title);
    if (lesson_) navigation();
    line(fmt::format("<h1>{}</h1>", words(title)));
    if (lesson_) line(fmt::format("<p>{}</p>", words(lesson_->intro)));
    for (std::size_t record = 0; record < run_.plan.records.size(); ++record) stage(record);
    if (lesson_) {
      line(fmt::format("<h2>What it is good at</h2>\n<p>{}</p>", words(lesson_->moral)));
      line(fmt::format("<h2>Try it on your model</h2>\n<pre>{}</pre>",
                       words(lessonCommand(lesson_->name))));
    }
    line(fmt::format("<h2>Make this page again</h2>\n<pre>{}</pre>", words(command())));
    line(fmt::format("<script>{}</script>\n</main></body>\n</html>", kScript));
    return std::move(text_);
  }

 private:
  void line(std::string_view text) {
    text_ += text;
    text_ += '\n';
  }

  void head(const std::string& title) {
    line("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">");
    line(R"(<meta name="viewport" content="width=device-width,initial-scale=1">)");
    // Nothing is loaded, and nothing runs but the script below, whatever a name in a model says.
    line(fmt::format(R"(<meta http-equiv="Content-Security-Policy" content="default-src 'none'; )"
                     R"(style-src 'unsafe-inline'; script-src 'sha256-{}'">)",
                     base64(sha256(kScript))));
    line(fmt::format("<title>{}</title>\n<style>\n{}</style>\n</head>\n<body><main>", words(title),
                     methodStyles()));
  }

  void navigation() {
    std::string links;
    for (const Lesson& each : lessons()) {
      links += &each == lesson_ ? fmt::format("<b>{}</b>", each.title)
                                : fmt::format(R"(<a href="{}.html">{}</a>)", each.name, each.title);
    }
    line("<nav>" + links + "</nav>");
  }

  void stage(std::size_t record) {
    const Stage stage(std::shared_ptr<const Run>(std::shared_ptr<void>(), &run_), record);
    const std::size_t ticks = filmTicks(stage);
    line(fmt::format(R"(<section class="stage" data-ticks="{}" data-seconds="{}">)", ticks,
                     svgNumber(kFilmTickSeconds)));
    if (run_.plan.records.size() > 1) {
      line(fmt::format("<h2>{}</h2>", words(printable(stage.record().name))));
    }
    line("<figure>" + stageFilm(stage, {}, false));
    line(fmt::format(
        R"(<div class="deck" hidden><button class="start" aria-label="Start">|◀</button>)"
        R"(<button class="back" aria-label="One decision back">◀</button>)"
        R"(<button class="play" aria-label="Play">▶</button>)"
        R"(<button class="next" aria-label="One decision on">▶|</button>)"
        R"(<button class="end" aria-label="End">▶▶|</button>)"
        R"(<input type="range" min="0" max="{}" value="0" aria-label="Decision">)"
        R"(<output></output></div></figure>)",
        ticks));
    if (ticks < stage.record().ticks.size()) {
      line(fmt::format("<p>The first {} of {} decisions.</p>", groupDigits(ticks),
                       groupDigits(stage.record().ticks.size())));
    }
    if (lesson_ && record == 0) stops(stage);
    line("</section>");
  }

  void stops(const Stage& stage) {
    const std::vector<std::size_t> ticks = stopTicks(*lesson_, run_, stage.record());
    line("<h2>Step by step</h2>\n<ol>");
    for (std::size_t i = 0; i < ticks.size(); ++i) {
      const LessonStop& stop = lesson_->stops[i];
      line(fmt::format(R"(<li data-tick="{0}"><b>{1}</b><button hidden>show tick {0}</button>)"
                       "<br>{2}</li>",
                       ticks[i], words(stop.title), words(stop.text)));
    }
    line("</ol>");
  }

  std::string command() const {
    std::string text = "highwater plan " + shellWord(run_.request.model);
    const std::string options = shellWords(optionWords(planningRequest(), run_.request));
    if (!options.empty()) text += " " + options;
    return lesson_ ? fmt::format("highwater lesson {0} -o {0}.html", lesson_->name)
                   : text + " --stage page.html";
  }

  const Run& run_;
  const Lesson* lesson_;
  std::string text_;
};

}  // namespace

std::string methodPage(const Run& run, const Lesson* lesson) {
  return MethodPage(run, lesson).write();
}

std::string_view methodPageScript() { return kScript; }

}  // namespace hw
