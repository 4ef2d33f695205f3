#include "core/report/method/method_page.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/files/sha256.h"
#include "core/picture/stage/stage_film.h"
#include "core/picture/svg_canvas.h"
#include "core/run/options.h"

namespace hw {

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
      line(fmt::format("<p>The first {} of {} decisions.</p>",
                       groupDigits(static_cast<std::int64_t>(ticks)),
                       groupDigits(static_cast<std::int64_t>(stage.record().ticks.size()))));
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
