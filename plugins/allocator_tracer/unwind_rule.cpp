// SPDX-License-Identifier: Apache-2.0
#include "plugins/allocator_tracer/unwind_rule.hpp"

#include "plugins/allocator_tracer/unwind_table.hpp"

#if defined(__x86_64__)

#include <array>
#include <cstddef>

// libgcc's: the entry for an address. Since glibc 2.35 and GCC 12 it searches without a lock.
extern "C" {
struct DwarfBases {
  void* text;
  void* data;
  void* function;
};
const unsigned char* _Unwind_Find_FDE(void* address, DwarfBases* bases);
}

namespace strata::allocator_tracer {
namespace {

// DWARF's numbers of registers on x86-64.
constexpr std::uint64_t kRbp = 6, kRsp = 7;

// DWARF's call frame instructions (DWARF 5, section 6.4.2), and GNU's two.
enum Instruction : unsigned char {
  kNop = 0x00,
  kAdvance1 = 0x02,
  kAdvance2 = 0x03,
  kAdvance4 = 0x04,
  kOffsetExtended = 0x05,
  kRestoreExtended = 0x06,
  kUndefined = 0x07,
  kSameValue = 0x08,
  kRegister = 0x09,
  kRememberState = 0x0a,
  kRestoreState = 0x0b,
  kDefCfa = 0x0c,
  kDefCfaRegister = 0x0d,
  kDefCfaOffset = 0x0e,
  kDefCfaExpression = 0x0f,
  kExpression = 0x10,
  kOffsetExtendedSf = 0x11,
  kDefCfaSf = 0x12,
  kDefCfaOffsetSf = 0x13,
  kGnuArgsSize = 0x2e,
  kAdvance = 0x40,
  kOffset = 0x80,
  kRestore = 0xc0
};
constexpr unsigned char kBregRbp = 0x76, kDeref = 0x06;  // DW_OP_breg6, DW_OP_deref

// Runs call frame instructions up to an address.
class FrameProgram {
 public:
  explicit FrameProgram(const CommonEntry& common) : common_(common) {}

  // Returns false for an unknown instruction.
  bool run(Bytes bytes, std::uintptr_t begin, std::uintptr_t address) {
    location_ = begin;
    while (!bytes.is_empty() && location_ <= address) {
      if (!step(bytes)) return false;
    }
    return true;
  }
  void keep_as_initial() { initial_ = state_; }

  std::optional<UnwindRule> rule() const {
    if (state_.is_outermost) return UnwindRule{};
    if (!state_.is_known || state_.return_offset != -8) return std::nullopt;
    return state_.rule;
  }

 private:
  struct State {
    UnwindRule rule;
    std::int64_t return_offset = 0;
    bool is_known = false;      // of CFA and rbp
    bool is_outermost = false;  // it returns nowhere
  };

  bool step(Bytes& bytes) {
    const auto instruction = bytes.number<unsigned char>();
    const std::uint64_t low = instruction & 0x3f;
    switch (instruction & 0xc0) {
      case kAdvance:
        return advance(low);
      case kOffset:
        return saved_at_cfa(low, static_cast<std::int64_t>(bytes.unsigned_leb()) * common_.data_alignment);
      case kRestore:
        return restore(low);
      default:
        return step_extended(instruction, bytes);
    }
  }

  bool step_extended(unsigned char instruction, Bytes& bytes) {
    switch (instruction) {
      case kNop:
        return true;
      case kAdvance1:
        return advance(bytes.number<std::uint8_t>());
      case kAdvance2:
        return advance(bytes.number<std::uint16_t>());
      case kAdvance4:
        return advance(bytes.number<std::uint32_t>());
      case kOffsetExtended: {
        const std::uint64_t saved = bytes.unsigned_leb();
        return saved_at_cfa(saved, static_cast<std::int64_t>(bytes.unsigned_leb()) * common_.data_alignment);
      }
      case kOffsetExtendedSf: {
        const std::uint64_t saved = bytes.unsigned_leb();
        return saved_at_cfa(saved, bytes.signed_leb() * common_.data_alignment);
      }
      case kRestoreExtended:
        return restore(bytes.unsigned_leb());
      case kUndefined: {
        const std::uint64_t lost = bytes.unsigned_leb();
        if (lost == kReturnAddress) state_.is_outermost = true;
        return lost != kRbp;
      }
      case kSameValue: {
        const std::uint64_t kept = bytes.unsigned_leb();
        if (kept == kRbp) state_.rule.rbp = UnwindRule::Rbp::kSame;
        return kept != kReturnAddress;
      }
      case kRegister: {
        const std::uint64_t saved = bytes.unsigned_leb();
        bytes.unsigned_leb();
        return !matters(saved);
      }
      case kRememberState:
        if (depth_ == remembered_.size()) return false;
        remembered_[depth_++] = state_;
        return true;
      case kRestoreState:
        if (depth_ == 0) return false;
        state_ = remembered_[--depth_];
        return true;
      case kDefCfa: {
        const std::uint64_t base = bytes.unsigned_leb();
        return cfa_at(base, static_cast<std::int64_t>(bytes.unsigned_leb()));
      }
      case kDefCfaSf: {
        const std::uint64_t base = bytes.unsigned_leb();
        return cfa_at(base, bytes.signed_leb() * common_.data_alignment);
      }
      case kDefCfaRegister:
        return cfa_at(bytes.unsigned_leb(), state_.rule.cfa_offset);
      case kDefCfaOffset:
        state_.rule.cfa_offset = static_cast<std::int32_t>(bytes.unsigned_leb());
        return true;
      case kDefCfaOffsetSf:
        state_.rule.cfa_offset = static_cast<std::int32_t>(bytes.signed_leb() * common_.data_alignment);
        return true;
      case kDefCfaExpression:
        return cfa_by_expression(bytes);
      case kExpression:
        return saved_by_expression(bytes);
      case kGnuArgsSize:
        bytes.unsigned_leb();
        return true;
      default:
        return false;
    }
  }

  static bool matters(std::uint64_t saved) { return saved == kRbp || saved == kReturnAddress; }

  bool advance(std::uint64_t steps) {
    location_ += steps * common_.code_alignment;
    return true;
  }

  bool saved_at_cfa(std::uint64_t saved, std::int64_t offset) {
    if (saved == kReturnAddress) state_.return_offset = offset;
    if (saved == kRbp) {
      state_.rule.rbp = UnwindRule::Rbp::kAtCfa;
      state_.rule.rbp_offset = static_cast<std::int32_t>(offset);
    }
    return true;
  }

  bool restore(std::uint64_t saved) {
    if (saved == kRbp) {
      state_.rule.rbp = initial_.rule.rbp;
      state_.rule.rbp_offset = initial_.rule.rbp_offset;
    }
    return saved != kReturnAddress;
  }

  // A frame that is laid out from another register (r10, while a stack is being aligned) is waiting for no
  // call.
  bool cfa_at(std::uint64_t base, std::int64_t offset) {
    state_.is_known = base == kRsp || base == kRbp;
    state_.rule.cfa = base == kRbp ? UnwindRule::Cfa::kRbp : UnwindRule::Cfa::kRsp;
    state_.rule.cfa_offset = static_cast<std::int32_t>(offset);
    return true;
  }

  // A function that aligned its stack: the CFA was put aside at rbp + offset.
  bool cfa_by_expression(Bytes& bytes) {
    Bytes expression = block(bytes);
    if (expression.number<unsigned char>() != kBregRbp) return false;
    const std::int64_t offset = expression.signed_leb();
    if (expression.is_empty() || expression.number<unsigned char>() != kDeref || !expression.is_empty())
      return false;
    state_.is_known = true;
    state_.rule.cfa = UnwindRule::Cfa::kAtRbp;
    state_.rule.cfa_offset = static_cast<std::int32_t>(offset);
    return true;
  }

  bool saved_by_expression(Bytes& bytes) {
    const std::uint64_t saved = bytes.unsigned_leb();
    Bytes expression = block(bytes);
    if (!matters(saved)) return true;
    if (saved != kRbp || expression.number<unsigned char>() != kBregRbp) return false;
    state_.rule.rbp = UnwindRule::Rbp::kAtRbp;
    state_.rule.rbp_offset = static_cast<std::int32_t>(expression.signed_leb());
    return expression.is_empty();
  }

  static Bytes block(Bytes& bytes) {
    const std::uint64_t length = bytes.unsigned_leb();
    const Bytes inside(bytes.next(), bytes.next() + length);
    bytes.skip(length);
    return inside;
  }

  const CommonEntry& common_;
  std::uintptr_t location_ = 0;
  State state_, initial_;
  std::array<State, 8> remembered_{};
  std::size_t depth_ = 0;
};

}  // namespace

FoundRule find_unwind_rule(std::uintptr_t return_address) noexcept {
  const std::uintptr_t call = return_address - 1;
  DwarfBases bases{};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a return address is a number that libgcc asks for as a pointer
  const unsigned char* const entry = _Unwind_Find_FDE(reinterpret_cast<void*>(call), &bases);
  if (entry == nullptr) return {};
  Bytes header(entry, entry + 8);
  const auto length = header.number<std::uint32_t>();
  const auto to_common = header.number<std::uint32_t>();
  const CommonEntry common = read_common_entry(entry + 4 - to_common);
  if (length == UINT32_MAX || !common.is_known) return {.rule = std::nullopt, .is_unknown = true};

  Bytes instructions(entry + 8, entry + 4 + length);
  instructions.skip(2 * common.pointer_bytes);  // where the function begins, and how long it is
  if (common.has_augmentation) {
    const std::uint64_t augmentation_bytes = instructions.unsigned_leb();
    instructions.skip(augmentation_bytes);
  }
  FrameProgram program(common);
  const auto begin = reinterpret_cast<std::uintptr_t>(bases.function);
  bool is_known = program.run(common.instructions, begin, begin);
  program.keep_as_initial();
  is_known = is_known && program.run(instructions, begin, call);
  const std::optional<UnwindRule> rule = is_known ? program.rule() : std::nullopt;
  return {.rule = rule, .is_unknown = !rule};
}

}  // namespace strata::allocator_tracer

#else

namespace strata::allocator_tracer {

FoundRule find_unwind_rule(std::uintptr_t) noexcept {
  return {.rule = std::nullopt, .is_unknown = true};
}

}  // namespace strata::allocator_tracer

#endif
