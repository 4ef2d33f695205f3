#pragma once

#include <string_view>

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

/// What instructions are called that would run something, for messages.
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

}  // namespace hw
