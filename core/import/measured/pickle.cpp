#include "core/import/measured/pickle.h"

#include <fmt/format.h>

namespace hw {

/// The instructions that are followed, by their bytes; for a class to derive from.
struct PickleCodes {
  enum Code : unsigned char {
    kMark = '(',
    kStop = '.',
    kNone = 'N',
    kTrue = 0x88,
    kFalse = 0x89,
    kInt4 = 'J',
    kInt1 = 'K',
    kInt2 = 'M',
    kLong1 = 0x8A,
    kLong4 = 0x8B,
    kFloat = 'G',
    kText1 = 0x8C,
    kText4 = 'X',
    kText8 = 0x8D,
    kBytes1 = 'C',
    kBytes4 = 'B',
    kBytes8 = 0x8E,
    kString1 = 'U',
    kString4 = 'T',
    kEmptyList = ']',
    kEmptyDict = '}',
    kEmptyTuple = ')',
    kList = 'l',
    kDict = 'd',
    kTuple = 't',
    kTuple1 = 0x85,
    kTuple2 = 0x86,
    kTuple3 = 0x87,
    kAppend = 'a',
    kAppends = 'e',
    kSetItem = 's',
    kSetItems = 'u',
    kPut1 = 'q',
    kPut4 = 'r',
    kGet1 = 'h',
    kGet4 = 'j',
    kMemoize = 0x94,
    kProtocol = 0x80,
    kFrame = 0x95,
  };
};

namespace {

/// The names of instructions that would run something, for messages.
inline std::string_view runningPickleCode(unsigned char code) {
  switch (code) {
    case 'R':
      return "REDUCE";
    case 'c':
      return "GLOBAL";
    case 'i':
      return "INST";
    case 'o':
      return "OBJ";
    case 'b':
      return "BUILD";
    case 0x81:
      return "NEWOBJ";
    case 0x92:
      return "NEWOBJ_EX";
    case 0x93:
      return "STACK_GLOBAL";
    case 'P':
      return "PERSID";
    case 'Q':
      return "BINPERSID";
    case 0x82:
      return "EXT1";
    case 0x83:
      return "EXT2";
    case 0x84:
      return "EXT4";
    default:
      return {};
  }
}

// Real files nest a few deep, and build lists a thousand items at a time.
constexpr std::size_t kMostStacked = 1'000'000;
constexpr std::size_t kMostMarks = 1000;
constexpr std::size_t kMostRemembered = std::size_t{1} << 27;
constexpr std::size_t kMostSlots = std::size_t{1} << 27;
/// Lists and dicts that no fold made smaller, and what is in them.
constexpr std::size_t kMostKept = std::size_t{1} << 20;
constexpr std::size_t kMostHeld = std::size_t{1} << 24;

}  // namespace

/// Follows the instructions, once.
class Pickle::Machine : private PickleCodes {
 public:
  Machine(Pickle& pickle, PickleFold& fold) : pickle_(pickle), fold_(fold) {}

  PickleValue run() {
    while (true) {
      began_ = at_;
      const unsigned char code = byte();
      if (code == kStop) break;
      if (!constant(code) && !container(code) && !memory(code)) refuseCode(code);
    }
    if (stack_.size() != 1 || !marks_.empty()) broken("ends with something left over");
    return resolved(stack_.back());
  }

 private:
  using Kind = PickleValue::Kind;

  [[noreturn]] void broken(const std::string& what) const {
    refuse("the pickle " + what, fmt::format("byte {}", began_));
  }
  [[noreturn]] void refuseCode(unsigned char code) const {
    const std::string_view name = runningPickleCode(code);
    if (!name.empty()) {
      broken(
          fmt::format("asks to run something ({}); nothing in it is run, and a recording needs "
                      "none of it",
                      name));
    }
    broken(fmt::format("has an instruction 0x{:02x} that no recording needs", code));
  }

  // Bytes.

  std::string_view take(std::uint64_t count) {
    if (count > pickle_.bytes_.size() - at_) broken("ends in the middle");
    const std::string_view taken = pickle_.bytes_.substr(at_, count);
    at_ += count;
    return taken;
  }
  unsigned char byte() {
    if (at_ == pickle_.bytes_.size()) broken("ends in the middle");
    return static_cast<unsigned char>(pickle_.bytes_[at_++]);
  }
  std::uint64_t number(unsigned bytes) {
    const std::string_view taken = take(bytes);
    std::uint64_t value = 0;
    for (unsigned i = 0; i < bytes; ++i) {
      value |= std::uint64_t{static_cast<unsigned char>(taken[i])} << (8 * i);
    }
    return value;
  }

  // The stack.

  void push(PickleValue value) {
    if (stack_.size() == kMostStacked) broken("stacks too much");
    stack_.push_back(value);
  }
  std::size_t base() const { return marks_.empty() ? 0 : marks_.back(); }
  PickleValue pop() {
    if (stack_.size() <= base()) broken("takes from an empty stack");
    const PickleValue value = stack_.back();
    stack_.pop_back();
    return value;
  }
  std::size_t popMark() {
    if (marks_.empty()) broken("goes back to a mark that is not there");
    const std::size_t mark = marks_.back();
    marks_.pop_back();
    return mark;
  }
  PickleValue& below(std::size_t place) {
    if (place <= base()) broken("adds to nothing");
    return stack_[place - 1];
  }

  void pushWhole(std::int64_t value) { push({Kind::whole, 0, value}); }
  void pushText(std::uint64_t length) {
    if (length > UINT32_MAX) broken("has a text beyond 4 GiB");
    const std::size_t begin = at_;
    take(length);
    push({Kind::text, static_cast<std::uint32_t>(length), static_cast<std::int64_t>(begin)});
  }
  /// Two's complement, the least byte first.
  void pushLong(std::uint64_t length) {
    if (length > sizeof(std::int64_t)) {
      take(length);
      return push({Kind::real});
    }
    const auto bytes = static_cast<unsigned>(length);
    std::uint64_t value = number(bytes);
    const unsigned bits = 8 * bytes;
    if (bits > 0 && bits < 64 && (value >> (bits - 1)) != 0) value |= ~std::uint64_t{0} << bits;
    pushWhole(static_cast<std::int64_t>(value));
  }

  /// Instructions that push a value.
  bool constant(unsigned char code) {
    switch (code) {
      case kNone:
        push({});
        return true;
      case kTrue:
        push({Kind::truth, 0, 1});
        return true;
      case kFalse:
        push({Kind::truth, 0, 0});
        return true;
      case kInt1:
        pushWhole(byte());
        return true;
      case kInt2:
        pushWhole(static_cast<std::int64_t>(number(2)));
        return true;
      case kInt4:
        pushWhole(static_cast<std::int32_t>(number(4)));
        return true;
      case kLong1:
        pushLong(byte());
        return true;
      case kLong4:
        pushLong(number(4));
        return true;
      case kFloat:
        take(8);
        push({Kind::real});
        return true;
      case kText1:
      case kBytes1:
      case kString1:
        pushText(byte());
        return true;
      case kText4:
      case kBytes4:
      case kString4:
        pushText(number(4));
        return true;
      case kText8:
      case kBytes8:
        pushText(number(8));
        return true;
      default:
        return false;
    }
  }

  // Lists and dicts.

  void pushContainer(Kind kind) {
    if (pickle_.slots_.size() == kMostSlots) broken("has too many lists and dicts");
    // Its contents are made when it gets something.
    pickle_.slots_.push_back({kind, 0, -1});
    push({kind, 0, static_cast<std::int64_t>(pickle_.slots_.size() - 1)});
  }
  PickleValue& slotOf(const PickleValue& value, Kind kind, const char* what) {
    if (value.kind != kind) broken(what);
    return pickle_.slots_[static_cast<std::size_t>(value.number)];
  }
  PickleValue resolved(PickleValue value) const {
    if (value.kind != Kind::list && value.kind != Kind::dict) return value;
    const PickleValue& now = pickle_.slots_[static_cast<std::size_t>(value.number)];
    return now.kind == Kind::record ? now : value;
  }
  void hold(std::size_t count) {
    held_ += count;
    if (held_ > kMostHeld) broken("holds more than a recording has");
  }
  template <class Store>
  auto& storeOf(PickleValue& slot, Store& store) {
    if (slot.number < 0) {
      if (store.size() == kMostKept) broken("has too many lists and dicts");
      slot.number = static_cast<std::int64_t>(store.size());
      store.emplace_back();
    }
    return store[static_cast<std::size_t>(slot.number)];
  }

  void extend(const PickleValue& list, std::size_t from) {
    PickleValue& slot = slotOf(list, Kind::list, "adds items to what is no list");
    for (std::size_t i = from; i < stack_.size(); ++i) stack_[i] = resolved(stack_[i]);
    const std::span<const PickleValue> items(stack_.data() + from, stack_.size() - from);
    if (items.empty()) return;
    const bool folded = slot.kind == Kind::record;
    if (folded || slot.number < 0) {
      const auto before = folded ? std::optional(slot) : std::nullopt;
      if (const auto record = fold_.list(before, items)) {
        slot = *record;
        return;
      }
      if (folded) broken("adds something else to a list of events");
    }
    hold(items.size());
    auto& kept = storeOf(slot, pickle_.lists_);
    kept.insert(kept.end(), items.begin(), items.end());
  }

  void setItems(const PickleValue& dict, std::size_t from) {
    PickleValue& slot = slotOf(dict, Kind::dict, "sets items of what is no dict");
    if (slot.kind == Kind::record) broken("changes a dict after it is read");
    if ((stack_.size() - from) % 2 != 0) broken("has a key without a value");
    const auto before = pickle_.entries(dict);
    entries_.assign(before.begin(), before.end());
    for (std::size_t i = from; i < stack_.size(); i += 2) {
      entries_.emplace_back(stack_[i], resolved(stack_[i + 1]));
    }
    // Only a dict that nothing is kept of yet: what was kept once stays.
    if (slot.number < 0) {
      if (const auto record = fold_.dict(entries_)) {
        slot = *record;
        return;
      }
    }
    hold(entries_.size());
    storeOf(slot, pickle_.dicts_) = entries_;
  }

  void makeTuple(std::size_t from) {
    pushContainer(Kind::list);
    const PickleValue tuple = stack_.back();
    stack_.pop_back();
    extend(tuple, from);
    stack_.resize(from);
    push(tuple);
  }
  void makeTupleOf(std::size_t count) {
    if (stack_.size() - base() < count) broken("takes from an empty stack");
    makeTuple(stack_.size() - count);
  }

  bool container(unsigned char code) {
    switch (code) {
      case kMark:
        if (marks_.size() == kMostMarks) broken("is nested too deep");
        marks_.push_back(stack_.size());
        return true;
      case kEmptyList:
      case kEmptyTuple:
        pushContainer(Kind::list);
        return true;
      case kEmptyDict:
        pushContainer(Kind::dict);
        return true;
      case kTuple:
      case kList:
        makeTuple(popMark());
        return true;
      case kTuple1:
        makeTupleOf(1);
        return true;
      case kTuple2:
        makeTupleOf(2);
        return true;
      case kTuple3:
        makeTupleOf(3);
        return true;
      case kDict: {
        const std::size_t mark = popMark();
        pushContainer(Kind::dict);
        const PickleValue dict = stack_.back();
        stack_.pop_back();
        if (stack_.size() > mark) setItems(dict, mark);
        stack_.resize(mark);
        push(dict);
        return true;
      }
      case kAppends:
      case kSetItems: {
        const std::size_t mark = popMark();
        const PickleValue target = below(mark);
        code == kAppends ? extend(target, mark) : setItems(target, mark);
        stack_.resize(mark);
        return true;
      }
      case kAppend:
      case kSetItem: {
        const std::size_t count = code == kAppend ? 1 : 2;
        if (stack_.size() - base() <= count) broken("takes from an empty stack");
        const std::size_t from = stack_.size() - count;
        const PickleValue target = below(from);
        code == kAppend ? extend(target, from) : setItems(target, from);
        stack_.resize(from);
        return true;
      }
      default:
        return false;
    }
  }

  // Values that are remembered to be used again.

  void put(std::uint64_t place) {
    if (stack_.size() <= base()) broken("remembers nothing");
    // Numbers are given one after the other.
    if (place > memo_.size() || place >= kMostRemembered) broken("remembers out of order");
    if (place == memo_.size()) memo_.emplace_back();
    memo_[place] = stack_.back();
  }
  void get(std::uint64_t place) {
    if (place >= memo_.size()) broken("uses what it does not remember");
    push(memo_[place]);
  }

  bool memory(unsigned char code) {
    switch (code) {
      case kMemoize:
        put(memo_.size());
        return true;
      case kPut1:
        put(byte());
        return true;
      case kPut4:
        put(number(4));
        return true;
      case kGet1:
        get(byte());
        return true;
      case kGet4:
        get(number(4));
        return true;
      case kFrame:
        number(8);
        return true;
      case kProtocol:
        if (byte() > 5) broken("is of a newer protocol than 5");
        return true;
      default:
        return false;
    }
  }

  Pickle& pickle_;
  PickleFold& fold_;
  std::size_t at_ = 0;
  std::size_t began_ = 0;  ///< Where the instruction begins.
  std::size_t held_ = 0;
  std::vector<PickleValue> stack_;
  std::vector<std::size_t> marks_;
  std::vector<PickleValue> memo_;
  std::vector<PickleFold::Entry> entries_;
};

Pickle::Pickle(std::string_view bytes, PickleFold& fold) : bytes_(bytes) {
  whole_ = Machine(*this, fold).run();
}

std::span<const PickleValue> Pickle::items(const PickleValue& list) const {
  if (list.kind != PickleValue::Kind::list) return {};
  const PickleValue& now = slots_[static_cast<std::size_t>(list.number)];
  if (now.kind != PickleValue::Kind::list || now.number < 0) return {};
  return lists_[static_cast<std::size_t>(now.number)];
}

std::span<const PickleFold::Entry> Pickle::entries(const PickleValue& dict) const {
  if (dict.kind != PickleValue::Kind::dict) return {};
  const PickleValue& now = slots_[static_cast<std::size_t>(dict.number)];
  if (now.kind != PickleValue::Kind::dict || now.number < 0) return {};
  return dicts_[static_cast<std::size_t>(now.number)];
}

std::string_view Pickle::textOf(std::string_view bytes, const PickleValue& value) {
  if (value.kind != PickleValue::Kind::text) return {};
  return bytes.substr(static_cast<std::size_t>(value.number), value.size);
}

bool looksLikePickle(std::string_view bytes) {
  return bytes.size() > 2 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 9;
}

}  // namespace hw
