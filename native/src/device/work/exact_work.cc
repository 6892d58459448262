// Passes over exact blocks on a device.
#include "firn/device_exact.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "common/varint.h"
#include "device/work/block_arguments.h"
#include "entropy/rans_team_symbols.h"
#include "lossless/exact/byte_plane.h"
#include "lossless/exact/coder.h"
#include "lossless/float/context_stream.h"
#include "lossless/float/exponent_levels.h"
#include "lossless/float/relate_team.h"

namespace firn {
namespace {

// Appends bytes of the device. False after a failure.
bool append_there(DeviceWork& work, const uint8_t* from, size_t bytes, std::vector<uint8_t>* out) {
  const size_t begin = out->size();
  out->resize(begin + bytes);
  work.bring(out->data() + begin, from, bytes);
  return work.wait() && work.done();
}

// A plane on the device.
class PlaneThere final : public PlaneBytes {
 public:
  PlaneThere(DeviceWork& work, const uint8_t* bytes, size_t count) : work_(work), bytes_(bytes), count_(count) {}

  bool append_coded(const RansModel& model, std::vector<uint8_t>* out) const override {
    if (count_ < kRansManyLanesFrom) {
      std::vector<uint8_t> here;
      if (!append(&here)) return false;
      rans_encode(here.data(), nullptr, count_, model, out);
      return true;
    }
    const std::vector<RansTeamSymbol> table = rans_team_symbols(model.tables[0]);
    const size_t room_bytes = count_ * sizeof(uint16_t);
    uint8_t* const room = work_.room<uint8_t>(room_bytes);
    const RansTeamSymbol* const d_table = work_.put(table);
    if (!work_.ok()) return false;
    const RansTeamStream stream{bytes_, d_table, room + room_bytes, static_cast<uint32_t>(count_), model.bits};
    const auto* const d_stream = static_cast<const RansTeamStream*>(work_.put(&stream, sizeof stream));
    Results results;
    const size_t at_result = results.add<RansTeamResult>(1);
    results.make(work_);
    work_.run(&DeviceTable::rans_encode,
              RansEncodeTeamKernel{d_stream, 1, results.there<RansTeamResult>(at_result)});
    if (!results.come_back(work_)) return false;
    const RansTeamResult& found = *results.here<RansTeamResult>(at_result);
    if (found.words > count_) return false;
    append_varint(found.words, out);
    for (const uint32_t state : found.states) {
      for (uint32_t shift = 0; shift < 32; shift += 8) out->push_back(static_cast<uint8_t>(state >> shift));
    }
    const size_t bytes = found.words * sizeof(uint16_t);
    return append_there(work_, room + room_bytes - bytes, bytes, out);
  }

  bool append(std::vector<uint8_t>* out) const override { return append_there(work_, bytes_, count_, out); }

 private:
  DeviceWork& work_;
  const uint8_t* bytes_;
  size_t count_;
};

// One block. What a pass cannot do, the processor does.
class DevicePasses final : public ExactPasses {
 public:
  explicit DevicePasses(const std::shared_ptr<DeviceContext>& context) : context_(context) {}

  PlanesPlan plan_planes(const ExactInput& input, bool with_previous) override {
    PlanesPlan plan;
    return find_planes(input, with_previous, &plan) ? std::move(plan) : ExactPasses::plan_planes(input, with_previous);
  }

  void encode_planes(const ExactInput& input, const PlanesPlan& plan, bool with_previous,
                     std::vector<uint8_t>* out) override {
    if (plan.planes) return ExactPasses::encode_planes(input, plan, with_previous, out);
    const size_t begin = out->size();
    for (size_t k = 0; k < plan.counts.size(); ++k) {
      const PlaneThere plane(*work_, d_planes_[with_previous] + k * input.count, input.count);
      if (encode_byte_plane(plane, input.count, plan.counts[k], out)) continue;
      out->resize(begin);
      return firn::encode_planes(input, firn::plan_planes(input, with_previous), out);
    }
  }

  ContextDifferencePlan plan_context_difference(const ExactInput& input) override {
    ContextDifferencePlan plan;
    if (find_differences(input, &plan)) return plan;
    differences_ = nullptr;
    return ExactPasses::plan_context_difference(input);
  }

  Status encode_context_difference(const ExactInput& input, const ContextDifferencePlan& plan,
                                   std::vector<uint8_t>* out) override {
    if (!differences_) return ExactPasses::encode_context_difference(input, plan, out);
    const size_t begin = out->size();
    append_varint(plan.reference, out);
    if (append_stream(*differences_, {plan.counts.data(), kDifferenceContexts, plan.occurring}, out) &&
        append_fields(input, plan.field_bytes, out))
      return Status::ok;
    out->resize(begin);
    return ExactPasses::encode_context_difference(input, ExactPasses::plan_context_difference(input), out);
  }

  Status encode_exponents(const ExactInput& input, std::vector<uint8_t>* out) override {
    const size_t begin = out->size();
    if (append_exponents(input, out)) return Status::ok;
    out->resize(begin);
    return ExactPasses::encode_exponents(input, out);
  }

 private:
  // The block on the device; null pointers after a failure, or if its passes are the processor's.
  bool go_up(const ExactInput& input, bool with_previous) {
    if (input.count > kBlockElementsMax) return false;
    if (!work_) work_.emplace(*context_, "code an exact block");
    if (!d_current_) {
      const ExactTeamBlock block{0, static_cast<uint32_t>(input.count)};
      d_block_ = static_cast<const ExactTeamBlock*>(work_->put(&block, sizeof block));
      d_current_ = work_->put(input.current, input.bytes());
    }
    if (with_previous && !d_previous_) d_previous_ = work_->put(input.previous, input.bytes());
    return work_->ok();
  }

  std::shared_ptr<HeldSymbols> symbols_for(size_t count) {
    DevicePiecePtr piece = work_->take(HeldSymbols::bytes_of(count));
    return piece ? std::make_shared<HeldSymbols>(context_, std::move(piece), count) : nullptr;
  }

  // The planes stay there.
  bool find_planes(const ExactInput& input, bool with_previous, PlanesPlan* plan) {
    if (!go_up(input, with_previous)) return false;
    const size_t planes = element_bytes(input.kind);
    uint8_t* const d_planes = d_planes_[with_previous] = work_->room<uint8_t>(input.bytes());
    Results out;
    const size_t at_counts = out.add<uint32_t>(size_t{ExactPlanesKernel::kPlanesMax} * ExactPlanesKernel::kValues);
    out.make(*work_);
    work_->run(&DeviceTable::exact_planes,
               ExactPlanesKernel{d_current_, with_previous ? d_previous_ : nullptr, input.kind, d_block_, 1, d_planes,
                                 out.there<uint32_t>(at_counts)});
    if (!out.come_back(*work_)) return false;
    const uint32_t* const counts = out.here<uint32_t>(at_counts);
    for (size_t k = 0; k < planes; ++k) {
      std::copy_n(counts + k * ExactPlanesKernel::kValues, ExactPlanesKernel::kValues,
                  plan->counts.emplace_back().begin());
      plan->cost += byte_plane_cost(plan->counts[k], input.count);
    }
    return work_->done();
  }

  bool find_differences(const ExactInput& input, ContextDifferencePlan* plan) {
    if (!go_up(input, true) || !(differences_ = symbols_for(input.count))) return false;
    Results out;
    const size_t at_counts = out.add<uint32_t>(ExactDifferenceKernel::kKeys),
                 at_found = out.add<ExactTeamDifferences>(1);
    out.make(*work_);
    work_->run(&DeviceTable::exact_differences,
               ExactDifferenceKernel{d_current_, d_previous_, input.kind, d_block_, 1, differences_->contexts(),
                                     differences_->symbols(), out.there<uint32_t>(at_counts),
                                     out.there<ExactTeamDifferences>(at_found)});
    if (!out.come_back(*work_)) return false;
    const ExactTeamDifferences found = *out.here<ExactTeamDifferences>(at_found);
    const uint32_t* const counts = out.here<uint32_t>(at_counts);
    differences_->changes = found.changed;
    plan->counts.assign(counts, counts + ExactDifferenceKernel::kKeys);
    plan->occurring = found.occurring;
    plan->reference = found.reference;
    plan->field_bytes = (uint64_t{found.field_bits} + 7) / 8;
    plan->cost = context_difference_cost(plan->counts, plan->field_bytes);
    return plan->field_bytes <= input.bytes() && work_->done();
  }

  // Appends tables and payload of symbols without escapes.
  bool append_stream(const HeldSymbols& symbols, const BlockCounts& counts, std::vector<uint8_t>* out) {
    ContextTables tables;
    std::vector<uint8_t> coded;
    if (ContextTables::for_block(counts, &tables) != Status::ok) return false;
    const auto count = static_cast<uint32_t>(symbols.count);
    const uint32_t slot = 0;
    if (!device_encode(symbols, {&count, &slot, 1}, tables, &coded)) {
      // Another mode than the dense one, or a failure.
      const Scratch own = take_scratch(count), contexts = take_scratch(count);
      std::vector<uint32_t> escapes;
      coded.clear();
      if (!device_fetch(symbols, own.get(), contexts.get(), &escapes) ||
          tables.encode({{contexts.get(), count, &count, &slot, 1}, own.get(), nullptr, 0}, &coded) != Status::ok)
        return false;
    }
    append_context_parts(tables, coded, out);
    return true;
  }

  bool append_fields(const ExactInput& input, size_t bytes, std::vector<uint8_t>* out) {
    if (bytes == 0) return true;
    uint8_t* const d_fields = work_->room<uint8_t>(bytes);
    const uint64_t place = 0;
    const auto* const d_place = static_cast<const uint64_t*>(work_->put(&place, sizeof place));
    work_->run(&DeviceTable::exact_fields, ExactFieldsKernel{d_current_, d_previous_, input.kind, d_block_, 1,
                                                             differences_->symbols(), d_place, d_fields});
    return append_there(*work_, d_fields, bytes, out);
  }

  bool append_exponents(const ExactInput& input, std::vector<uint8_t>* out) {
    if (!go_up(input, false)) return false;
    const std::shared_ptr<HeldSymbols> symbols = symbols_for(input.count);
    if (!symbols) return false;
    const size_t chunks = exponent_chunks(input.count), rest_bytes = (element_bytes(input.kind) - 1) * input.count;
    uint8_t* const d_exponents = work_->room<uint8_t>(input.count);
    uint8_t* const d_rest = work_->room<uint8_t>(rest_bytes);
    Results cut;
    const size_t at_sums = cut.add<ExponentSum>(ExactCutKernel::kChunksMax);
    cut.make(*work_);
    work_->run(&DeviceTable::exact_cut, ExactCutKernel{d_current_, input.kind, d_block_, 1, d_exponents, d_rest,
                                                       cut.there<ExponentSum>(at_sums)});
    if (!cut.come_back(*work_)) return false;
    const ExponentSum* const sums = cut.here<ExponentSum>(at_sums);
    const ExponentLevels levels = find_exponent_levels({sums, sums + chunks});
    std::vector<uint8_t> firsts(ExactRelateKernel::kChunksMax), phases(ExactRelateKernel::kChunksMax);
    for (size_t chunk = 0; chunk < chunks; ++chunk) {
      firsts[chunk] = levels.first_exponent(chunk);
      phases[chunk] = levels.context(chunk);
    }
    Packed in;
    const size_t at_firsts = in.add(firsts.data(), firsts.size()), at_phases = in.add(phases.data(), phases.size());
    in.go_up(*work_);
    Results related;
    const size_t at_counts = related.add<uint32_t>(ExactRelateKernel::kKeys),
                 at_found = related.add<ExactTeamRelated>(1);
    related.make(*work_);
    work_->run(&DeviceTable::exact_relate,
               ExactRelateKernel{d_exponents, d_block_, 1, in.at<uint8_t>(at_firsts), in.at<uint8_t>(at_phases),
                                 symbols->contexts(), symbols->symbols(), related.there<uint32_t>(at_counts),
                                 related.there<ExactTeamRelated>(at_found)});
    if (!related.come_back(*work_)) return false;
    const ExactTeamRelated found = *related.here<ExactTeamRelated>(at_found);
    // Escapes are rare, and the processor's.
    if (found.occurring >> kContextEscape & 1) return false;
    symbols->changes = found.changed;
    write_exponent_levels(levels, out);
    return append_stream(*symbols, {related.here<uint32_t>(at_counts), kExponentPhases, found.occurring}, out) &&
           append_there(*work_, d_rest, rest_bytes, out);
  }

  const std::shared_ptr<DeviceContext>& context_;
  std::optional<DeviceWork> work_;
  const ExactTeamBlock* d_block_ = nullptr;
  const void *d_current_ = nullptr, *d_previous_ = nullptr;
  uint8_t* d_planes_[2] = {};  // without and with the previous block
  std::shared_ptr<HeldSymbols> differences_;  // null unless the plan of the differences is the device's
};

}  // namespace

Status device_exact_encode(const std::shared_ptr<DeviceContext>& context, const void* current, const void* previous,
                           size_t count, ElementKind kind, std::vector<uint8_t>* out) {
  DevicePasses passes(context);
  return exact_encode_with(passes, current, previous, count, kind, out);
}

}  // namespace firn
