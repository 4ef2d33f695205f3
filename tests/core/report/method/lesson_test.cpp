// Lessons speak of what happens, where it happens, and their pages need nothing else.
#include "core/report/method/lesson.h"

#include <regex>

#include "core/allocators/catalog.h"
#include "tests/support/methods.h"
#include "tests/support/must.h"

using namespace hw;

namespace {

std::size_t timesSaid(const std::string& text, const std::string& words) {
  std::size_t count = 0;
  for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) {
    ++count;
  }
  return count;
}

std::size_t sentencesIn(std::string_view text) {
  const std::string copy(text);
  const std::regex end(R"([.:;?!](\s|$))");
  return static_cast<std::size_t>(
      std::distance(std::sregex_iterator(copy.begin(), copy.end(), end), std::sregex_iterator()));
}

}  // namespace

TEST_CASE("the stops of lessons happen one after the other", "[lesson]") {
  for (const Lesson& lesson : lessons()) {
    CAPTURE(lesson.name);
    const auto run = test::must(lessonRun(lesson));
    REQUIRE_FALSE(run->plan.records.empty());
    const MethodRecord& record = run->plan.records.front();
    const auto ticks = stopTicks(lesson, *run, record);
    REQUIRE(ticks.size() == lesson.stops.size());
    CHECK(ticks.front() == 0);
    for (std::size_t i = 0; i < ticks.size(); ++i) {
      const LessonStop& stop = lesson.stops[i];
      CAPTURE(stop.title, ticks[i]);
      // One that never comes would have the tick of the one before.
      if (i > 0) CHECK(ticks[i] > ticks[i - 1]);
      if (ticks[i] > 0 && !stop.tensor.empty()) {
        CHECK(run->stayName(record.ticks[ticks[i] - 1].stay) == stop.tensor);
      }
      CHECK(sentencesIn(stop.text) >= 2);
      CHECK(sentencesIn(stop.text) <= 5);
    }
  }
}

TEST_CASE("each published method has a lesson, found by its name", "[lesson]") {
  for (const char* name : {"block-id", "two-sided", "partition", "free-list", "placement-search"}) {
    CAPTURE(name);
    const Lesson* lesson = findLesson(name);
    REQUIRE(lesson != nullptr);
    CHECK(AllocatorChoice::parse(name));
    CHECK(lessonCommand(name).find(name) != std::string::npos);
  }
  CHECK(findLesson("best-fit-ever") == nullptr);
}

TEST_CASE("pages of lessons need neither the program nor a network", "[lesson]") {
  for (const Lesson& lesson : lessons()) {
    CAPTURE(lesson.name);
    const auto run = test::must(lessonRun(lesson));
    const std::string page = methodPage(*run, &lesson);
    CHECK(page.size() < std::size_t{1} << 20U);
    // Nothing is fetched: the one address is the name of SVG, and links are to the other lessons.
    CHECK(timesSaid(page, "://") == timesSaid(page, "http://www.w3.org/2000/svg"));
    CHECK(timesSaid(page, "href=") == lessons().size() - 1);
    CHECK(timesSaid(page, "<svg") == run->plan.records.size());
    CHECK(timesSaid(page, "<li ") == lesson.stops.size());
    for (const LessonStop& stop : lesson.stops)
      CHECK(timesSaid(page, std::string(stop.title)) == 1);
    CHECK(timesSaid(page, "script-src 'sha256-") == 1);
    CHECK(timesSaid(page, std::string(methodPageScript())) == 1);
    CHECK(timesSaid(page, lessonCommand(lesson.name)) == 1);
  }
}

TEST_CASE("a name in a model is text on its page", "[lesson]") {
  const auto planned = test::must(execute(test::sample("chain"), test::workedRequest("free-list"),
                                          {.simulate = false, .record = true}));
  auto run = std::make_shared<Run>(*planned);
  run->plan.records.front().name = "<script>alert(1)</script>";
  const std::string page = methodPage(*run, nullptr);
  CHECK(timesSaid(page, "<script>") == 1);
  CHECK(timesSaid(page, "&lt;script&gt;") >= 1);
}
