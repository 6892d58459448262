// The tokens of a code for dense_encode_team.h, and the host's part of a stream.
#pragma once
#include <vector>

#include "context/dense/dense_encode_team.h"
#include "context/lanes/static_code.h"

namespace firn {

// One entry a token; as many tables of kContextSymbols tokens as `tokens` has.
inline std::vector<DenseTeamToken> dense_team_tokens(const std::vector<EncoderToken>& tokens) {
  std::vector<DenseTeamToken> found;
  found.reserve(tokens.size());
  for (const EncoderToken& token : tokens) {
    const uint32_t slots = token.frequency();
    if (!token.coded()) found.push_back({0, DenseTeamToken::kUncoded});
    else found.push_back({slots == 1 ? ~0u : static_cast<uint32_t>((uint64_t{1} << 32) / slots),
                          (slots - 1) << 16 | token.start()});
  }
  return found;
}

}  // namespace firn
