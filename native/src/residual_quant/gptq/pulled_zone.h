// The dead zone of a move, given the movement of the weight since the upload that its previous value was made of
// (GptqMovement).
#pragma once
#include "team/team.h"

namespace firn {

// `dead` is the zone without movement, `along` what the movement takes off it in the direction of the move, or adds if
// it is negative, and `least` the smallest zone; all in units. A zone that is smaller than the least stays as it is.
FIRN_EACH float pulled_zone(float dead, float along, float least) {
  const float zone = along > 0 ? dead - along : dead;
  if (zone >= least) return zone;
  return least < dead ? least : dead;
}

}  // namespace firn
