// SPDX-License-Identifier: Apache-2.0
// The opcodes of Python's pickle (Lib/pickle.py, PEP 307, 3154 and 574) that a snapshot may contain.
#pragma once

#include <cstdint>

namespace strata::snapshot::opcode {

inline constexpr std::uint8_t kProtocol = 0x80, kFrame = 0x95, kStop = '.';
inline constexpr std::uint8_t kMark = '(', kPop = '0', kPopMark = '1', kDuplicate = '2';
inline constexpr std::uint8_t kNone = 'N', kTrue = 0x88, kFalse = 0x89;
inline constexpr std::uint8_t kInteger1 = 'K', kInteger2 = 'M', kInteger4 = 'J', kLong1 = 0x8a, kLong4 = 0x8b,
                              kReal = 'G';
inline constexpr std::uint8_t kText1 = 0x8c, kText4 = 'X', kText8 = 0x8d;
inline constexpr std::uint8_t kString1 = 'U', kString4 = 'T';
inline constexpr std::uint8_t kBytes1 = 'C', kBytes4 = 'B', kBytes8 = 0x8e, kByteArray8 = 0x96;
inline constexpr std::uint8_t kEmptyTuple = ')', kTuple1 = 0x85, kTuple2 = 0x86, kTuple3 = 0x87, kTuple = 't';
inline constexpr std::uint8_t kEmptyList = ']', kAppend = 'a', kAppends = 'e', kList = 'l';
inline constexpr std::uint8_t kEmptyDict = '}', kSetItem = 's', kSetItems = 'u', kDict = 'd';
inline constexpr std::uint8_t kGet1 = 'h', kGet4 = 'j', kPut1 = 'q', kPut4 = 'r', kMemoize = 0x94;

struct Refused {
  std::uint8_t opcode;
  const char* name;
  const char* reason;
};

inline constexpr const char* kRunsCode = "would import or call code that the file chooses";
inline constexpr const char* kFromElsewhere = "refers to an object outside of the file";
inline constexpr const char* kOldProtocol = "belongs to protocols 0 and 1, which torch does not write";
inline constexpr const char* kNoSnapshot = "is not used in snapshots";

inline constexpr Refused kRefused[] = {{'c', "GLOBAL", kRunsCode},
                                       {0x93, "STACK_GLOBAL", kRunsCode},
                                       {'R', "REDUCE", kRunsCode},
                                       {'b', "BUILD", kRunsCode},
                                       {'i', "INST", kRunsCode},
                                       {'o', "OBJ", kRunsCode},
                                       {0x81, "NEWOBJ", kRunsCode},
                                       {0x92, "NEWOBJ_EX", kRunsCode},
                                       {0x82, "EXT1", kRunsCode},
                                       {0x83, "EXT2", kRunsCode},
                                       {0x84, "EXT4", kRunsCode},
                                       {'P', "PERSID", kFromElsewhere},
                                       {'Q', "BINPERSID", kFromElsewhere},
                                       {0x97, "NEXT_BUFFER", kFromElsewhere},
                                       {'I', "INT", kOldProtocol},
                                       {'L', "LONG", kOldProtocol},
                                       {'F', "FLOAT", kOldProtocol},
                                       {'S', "STRING", kOldProtocol},
                                       {'V', "UNICODE", kOldProtocol},
                                       {'g', "GET", kOldProtocol},
                                       {'p', "PUT", kOldProtocol},
                                       {0x8f, "EMPTY_SET", kNoSnapshot},
                                       {0x90, "ADDITEMS", kNoSnapshot},
                                       {0x91, "FROZENSET", kNoSnapshot},
                                       {0x98, "READONLY_BUFFER", kNoSnapshot}};

}  // namespace strata::snapshot::opcode
