// Moments (firn/moments.h) over teams, a tensor a team: sixteen sums of each kind have an order, so sixteen members add
// while the others have brought the next elements.
#pragma once
#include "firn/moments.h"
#include "team/elements.h"

namespace firn {

struct MomentsOfTensor {
  const void* weights;
  const void* gradients;  // or null
  uint64_t count;
  Dtype dtype, gradient_dtype;
  Moments* moments;
};

struct MomentsKernel {
  static constexpr uint32_t kMembers = 256, kResident = 2;
  static constexpr uint32_t kLanes = 16, kKinds = 4;   // sum, squares, largest, squares of gradients
  static constexpr uint32_t kTile = 2048;
  struct Shared {
    float weights[kTile], gradients[kTile];
    double lanes[kKinds][kLanes];
  };
  static constexpr size_t kSharedBytes = sizeof(Shared);
  const MomentsOfTensor* tensors;
  uint32_t tensor_count;

  uint32_t teams(uint32_t) const { return tensor_count; }

  template <typename Team>
  FIRN_EACH void operator()(const Team& team, uint32_t team_index, uint32_t, unsigned char* shared) const {
    Shared& own = *reinterpret_cast<Shared*>(shared);
    const MomentsOfTensor& tensor = tensors[team_index];
    for_each_element(team, kKinds * kLanes, [&](size_t i) { own.lanes[i / kLanes][i % kLanes] = 0; });
    for (uint64_t first = 0; first < tensor.count; first += kTile) {
      const uint64_t left = tensor.count - first;
      const uint32_t there = static_cast<uint32_t>(left < kTile ? left : kTile);
      with_dtype(tensor.dtype, [&](auto tag) {
        for_each_element(team, there, [&](size_t i) {
          own.weights[i] = element_of<decltype(tag)::dtype>(tensor.weights, first + i);
        });
      });
      if (tensor.gradients) {
        with_dtype(tensor.gradient_dtype, [&](auto tag) {
          for_each_element(team, there, [&](size_t i) {
            own.gradients[i] = element_of<decltype(tag)::dtype>(tensor.gradients, first + i);
          });
        });
      }
      team.barrier();
      for_each_element(team, kKinds * kLanes, [&](size_t i) {
        add_lane(own, i / kLanes, i % kLanes, there, tensor.gradients != nullptr);
      });
      team.barrier();
    }
    team.barrier();
    if (team.rank() == 0) {
      double totals[kKinds] = {};
      for (uint32_t lane = 0; lane < kLanes; ++lane) {
        totals[0] += own.lanes[0][lane];
        totals[1] += own.lanes[1][lane];
        totals[2] = own.lanes[2][lane] > totals[2] ? own.lanes[2][lane] : totals[2];
        totals[3] += own.lanes[3][lane];
      }
      *tensor.moments = Moments{totals[0], totals[1], totals[2], totals[3]};
    }
  }

 private:
  static FIRN_EACH void add_lane(Shared& own, size_t kind, size_t lane, uint32_t there, bool has_gradients) {
    double sum = own.lanes[kind][lane];
    if (kind == 0) {
      for (size_t i = lane; i < there; i += kLanes) sum += static_cast<double>(own.weights[i]);
    } else if (kind == 1) {
      for (size_t i = lane; i < there; i += kLanes) {
        const double w = static_cast<double>(own.weights[i]);
        sum += w * w;
      }
    } else if (kind == 2) {
      float largest = static_cast<float>(sum);
      for (size_t i = lane; i < there; i += kLanes) {
        const float magnitude = float_of(bits_of(own.weights[i]) & 0x7FFFFFFFu);
        largest = magnitude > largest ? magnitude : largest;
      }
      sum = static_cast<double>(largest);
    } else if (has_gradients) {
      for (size_t i = lane; i < there; i += kLanes) {
        const bool finite = (bits_of(own.gradients[i]) & 0x7F800000u) != 0x7F800000u;
        const double g = finite ? static_cast<double>(own.gradients[i]) : 0.0;
        sum += g * g;
      }
    }
    own.lanes[kind][lane] = sum;
  }
};

}  // namespace firn
