#include "entropy/token/tokens_team.h"
#include "team/launch.cuh"

FIRN_LAUNCH(level_keys, firn::LevelKeysTeamKernel)
FIRN_LAUNCH(count_tokens, firn::CountTokensTeamKernel)
FIRN_LAUNCH(encode_tokens, firn::EncodeTokensTeamKernel)
