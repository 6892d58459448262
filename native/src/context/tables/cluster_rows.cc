#include "context/tables/cluster_rows.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace firn {
namespace {

// Rows in which fewer elements change are merged first: a table of their own and its place in the map would cost more.
constexpr uint64_t kChangedFirst = 6;
// Cost in the map of a row that leaves its reference's table, and cost of each symbol that a table has not learnt.
constexpr uint64_t kLeaveBits = 6, kNewSymbolBits = 32;
constexpr uint64_t kRowBits = 1;      // cost in the map of a row in a table of its own family
constexpr uint32_t kRefinements = 3;  // rounds of rows picking tables
// Stops trying fewer tables once they cost more than the best number does by one part in this many.
constexpr CostBits kHopeless = 16;

struct Cluster {
  RowCounts counts;
  CostBits cost = 0;  // ideal payload and description
  uint64_t rows = 0;
};

CostBits cluster_cost(const RowCounts& counts) { return counts.entropy() + shape_description_bits(counts); }

// Elements of its slot that are added to a row's own, when rows are compared by their share of changes.
constexpr uint64_t kPriorElements = 64;

// Row numbers by context, then by the share of elements that change: rows that may share a table stand together,
// whatever their slots.
std::vector<uint32_t> similar_order(const std::vector<Row>& rows) {
  constexpr uint32_t kShareBits = 32;
  const auto share = [](uint64_t changed, uint64_t total) {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(changed) << kShareBits) / total);
  };
  std::vector<uint64_t> keys(rows.size());
  for (size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    uint64_t total = 0, changed = 0;
    for (; end < rows.size() && rows[end].slot == rows[begin].slot; ++end) {
      total += rows[end].counts.total();
      changed += rows[end].counts.total() - rows[end].counts.of[0];
    }
    const uint64_t prior = share(changed, total);
    for (size_t r = begin; r < end; ++r) {
      const uint64_t own = rows[r].counts.total(), own_share = share(own - rows[r].counts.of[0], own);
      const auto weighted =
          static_cast<unsigned __int128>(own_share) * own + static_cast<unsigned __int128>(prior) * kPriorElements;
      keys[r] = static_cast<uint64_t>(weighted / (own + kPriorElements));
    }
  }
  std::vector<uint32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return std::tuple(rows[a].context, keys[a], a) < std::tuple(rows[b].context, keys[b], b);
  });
  return order;
}

// Assigns each row a group: neighbours of one context are gathered until that many elements change in them.
size_t gather_groups(const std::vector<Row>& rows, const std::vector<uint32_t>& order, uint64_t changed_min,
                     std::vector<uint32_t>* group_of) {
  uint64_t changed = 0;
  uint32_t groups = 0, context = ~0u;
  for (const uint32_t r : order) {
    if (rows[r].context != context || changed >= changed_min) {
      ++groups;
      changed = 0;
      context = rows[r].context;
    }
    changed += rows[r].counts.total() - rows[r].counts.of[0];
    (*group_of)[r] = groups - 1;
  }
  return groups;
}

// The groups merged greedily, two at a time, the pair that saves most first. Group g was merged into parent_[g] when
// order_[g] clusters were left; the one that survives is its own parent.
class Merging {
 public:
  explicit Merging(std::vector<Cluster> clusters)
      : clusters_(std::move(clusters)), parent_(clusters_.size()), order_(clusters_.size(), ~0u) {
    const size_t n = clusters_.size();
    std::iota(parent_.begin(), parent_.end(), 0u);
    gain_.assign(n * n, 0);
    for (size_t a = 0; a < n; ++a) {
      for (size_t b = a + 1; b < n; ++b) gain_[a * n + b] = gain(a, b);
    }
    best_tables_ = n;
    for (uint32_t left = static_cast<uint32_t>(n); left > 1; --left) merge_best(left);
  }

  // Number of tables at which merging stopped to pay.
  size_t best_tables() const { return best_tables_; }

  // The cluster, 0..tables-1, of each group when merging stops at `tables` clusters.
  std::vector<uint32_t> cut(size_t tables) const {
    std::vector<uint32_t> root(parent_.size()), number(parent_.size(), ~0u);
    uint32_t next = 0;
    for (size_t g = 0; g < root.size(); ++g) {
      uint32_t at = static_cast<uint32_t>(g);
      while (parent_[at] != at && order_[at] > tables) at = parent_[at];
      if (number[at] == ~0u) number[at] = next++;
      root[g] = number[at];
    }
    return root;
  }

 private:
  // Saving of a merge; negative if it costs.
  int64_t gain(size_t a, size_t b) const {
    RowCounts both = clusters_[a].counts;
    both.add(clusters_[b].counts);
    const CostBits apart =
        clusters_[a].cost + clusters_[b].cost + whole_bits(kRowBits * std::min(clusters_[a].rows, clusters_[b].rows));
    return static_cast<int64_t>(apart - cluster_cost(both));
  }

  bool alive(size_t g) const { return parent_[g] == g; }

  // Takes `left` clusters to `left` - 1.
  void merge_best(uint32_t left) {
    const size_t n = clusters_.size();
    size_t best_a = 0, best_b = 0;
    int64_t best = INT64_MIN;
    for (size_t a = 0; a < n; ++a) {
      if (!alive(a)) continue;
      for (size_t b = a + 1; b < n; ++b) {
        if (alive(b) && gain_[a * n + b] > best) {
          best = gain_[a * n + b];
          best_a = a;
          best_b = b;
        }
      }
    }
    if (best >= 0 || left > kContextTablesMax) best_tables_ = left - 1;
    Cluster& into = clusters_[best_a];
    into.counts.add(clusters_[best_b].counts);
    into.cost = cluster_cost(into.counts);
    into.rows += clusters_[best_b].rows;
    parent_[best_b] = static_cast<uint32_t>(best_a);
    order_[best_b] = left;  // separate down to `left` tables
    for (size_t g = 0; g < n; ++g) {
      if (!alive(g) || g == best_a) continue;
      gain_[std::min(g, best_a) * n + std::max(g, best_a)] = gain(std::min(g, best_a), std::max(g, best_a));
    }
  }

  std::vector<Cluster> clusters_;
  std::vector<uint32_t> parent_, order_;
  std::vector<int64_t> gain_;
  size_t best_tables_ = 0;
};

// A division of the rows among tables, improved and written down.
class Division {
 public:
  Division(const std::vector<Row>& rows, uint32_t slots, std::vector<uint32_t> table_of)
      : rows_(rows), slots_(slots), table_of_(std::move(table_of)) {
    for (const Row& row : rows_) {
      contexts_ = std::max(contexts_, row.context + 1);
      first_.push_back(found_.size());
      for (uint32_t s = 0; s < kContextSymbols; ++s) {
        if (row.counts.of[s] != 0) found_.push_back({s, row.counts.of[s]});
      }
    }
    first_.push_back(found_.size());
  }

  ChosenTables finish() {
    fit();
    for (uint32_t round = 0; round < kRefinements && shapes_.size() > 1; ++round) {
      place();
      if (!reassign()) break;
      fit();
    }
    renumber();
    place();
    ChosenTables chosen;
    for (size_t r = 0; r < rows_.size(); ++r) chosen.payload += row_cost(r, table_of_[r]);
    chosen.set.shapes = std::move(shapes_);
    chosen.set.slots = slots_;
    if (chosen.set.has_map()) {
      chosen.set.contexts = contexts_;
      chosen.set.map = std::move(map_);
      chosen.set.references = std::move(references_);
    }
    return chosen;
  }

 private:
  // Tables that fit the rows assigned to them; tables without rows go.
  void fit() {
    std::vector<RowCounts> counts;
    std::vector<uint32_t> number;
    for (size_t r = 0; r < rows_.size(); ++r) {
      if (table_of_[r] >= number.size()) number.resize(table_of_[r] + 1, ~0u);
      uint32_t& at = number[table_of_[r]];
      if (at == ~0u) {
        at = static_cast<uint32_t>(counts.size());
        counts.emplace_back();
      }
      counts[at].add(rows_[r].counts);
      table_of_[r] = at;
    }
    shapes_.clear();
    costs_.clear();
    for (const RowCounts& table : counts) {
      shapes_.push_back(fit_shape(table));
      costs_.push_back(shape_costs(shapes_.back()));
      for (uint32_t s = 0; s < kContextSymbols; ++s) {
        if (!shapes_.back().has(s)) costs_.back()[s] = whole_bits(kNewSymbolBits);
      }
    }
  }

  // Numbers tables in the order of their first use.
  void renumber() { fit(); }

  CostBits row_cost(size_t row, uint32_t table) const {
    CostBits cost = 0;
    const CostBits* const costs = costs_[table].data();
    for (size_t i = first_[row]; i < first_[row + 1]; ++i) cost += found_[i].count * costs[found_[i].symbol];
    return cost;
  }

  // The reference of each slot, and the map, with rows that do not occur filled with suggestions.
  void place() {
    if (shapes_.size() < 2) return;
    map_.assign(size_t{slots_} * contexts_, 0);
    references_.assign(slots_, 0);
    size_t r = 0;
    for (uint32_t slot = 0; slot < slots_; ++slot) {
      size_t end = r;
      while (end < rows_.size() && rows_[end].slot == slot) ++end;
      references_[slot] = static_cast<uint8_t>(best_reference(slot, r, end));
      uint8_t* const tables = &map_[size_t{slot} * contexts_];
      for (uint32_t c = 0; c < contexts_; ++c) {
        if (r < end && rows_[r].context == c) tables[c] = static_cast<uint8_t>(table_of_[r++]);
        else tables[c] = suggested(slot, c);
      }
    }
  }

  uint8_t suggested(uint32_t slot, uint32_t c) const {
    const uint8_t* const tables = &map_[size_t{slot} * contexts_];
    const size_t back = size_t{references_[slot]} * contexts_;
    if (back > 0) return (tables - back)[c];
    return c > 0 ? tables[c - 1] : 0;
  }

  // The number of slots back that describes rows [begin, end) with the fewest differences; the last one chosen wins
  // ties, then the nearest.
  uint32_t best_reference(uint32_t slot, size_t begin, size_t end) const {
    const uint32_t furthest = std::min(slot, kReferenceMax);
    uint32_t none = 0, left = 0;
    for (size_t r = begin; r < end; ++r) {
      none += table_of_[r] != left;
      left = table_of_[r];
    }
    uint32_t best = 0, fewest = none;
    const auto offer = [&](uint32_t back) {
      uint32_t differences = 0;
      const uint8_t* const tables = &map_[size_t{slot - back} * contexts_];
      for (size_t r = begin; r < end; ++r) differences += tables[rows_[r].context] != table_of_[r];
      if (differences < fewest || (differences == fewest && best == 0)) {
        fewest = differences;
        best = back;
      }
    };
    const uint32_t last = slot > 0 ? references_[slot - 1] : 0;
    if (last > 0 && last <= furthest) offer(last);
    for (uint32_t back = 1; back <= furthest && fewest > 0; ++back) offer(back);
    return best;
  }

  // Gives every row the table that is cheapest for it, including the map. False if nothing changed.
  bool reassign() {
    bool changed = false;
    for (size_t r = 0; r < rows_.size(); ++r) {
      const uint32_t reference = references_[rows_[r].slot];
      const uint32_t stay =
          reference > 0 ? map_[size_t{rows_[r].slot - reference} * contexts_ + rows_[r].context] : ~0u;
      uint32_t best = table_of_[r];
      CostBits best_cost = ~CostBits{0};
      for (uint32_t t = 0; t < shapes_.size(); ++t) {
        const CostBits cost = row_cost(r, t) + (t == stay ? 0 : whole_bits(kLeaveBits));
        if (cost < best_cost) {
          best_cost = cost;
          best = t;
        }
      }
      changed |= best != table_of_[r];
      table_of_[r] = best;
    }
    return changed;
  }

  struct Occurrence {
    uint64_t symbol, count;
  };

  const std::vector<Row>& rows_;
  std::vector<Occurrence> found_;  // of all rows, one after another; few symbols occur in most of them
  std::vector<size_t> first_;      // of each row, and the end
  uint32_t slots_;
  uint32_t contexts_ = 1;
  std::vector<uint32_t> table_of_;
  std::vector<TableShape> shapes_;
  std::vector<std::array<CostBits, kContextSymbols>> costs_;  // of every symbol
  std::vector<uint8_t> map_, references_;
};

}  // namespace

ChosenTables choose_tables(const std::vector<Row>& rows, uint32_t slots) {
  ChosenTables best;
  best.set.slots = slots;
  if (rows.empty()) return best;
  std::vector<uint32_t> group_of(rows.size());
  uint64_t changed_min = kChangedFirst;
  const std::vector<uint32_t> order = similar_order(rows);
  size_t groups = gather_groups(rows, order, changed_min, &group_of);
  while (groups > kSeedsMax) groups = gather_groups(rows, order, changed_min *= 2, &group_of);

  std::vector<Cluster> clusters(groups);
  for (size_t r = 0; r < rows.size(); ++r) {
    clusters[group_of[r]].counts.add(rows[r].counts);
    ++clusters[group_of[r]].rows;
  }
  for (Cluster& cluster : clusters) cluster.cost = cluster_cost(cluster.counts);
  const Merging merging(std::move(clusters));

  // Tries the estimate's optimum, half as many tables, and so on down to one: each is serialized, and the smallest is
  // used.
  CostBits best_cost = ~CostBits{0};
  for (size_t tables = merging.best_tables();; tables = (tables + 1) / 2) {
    const std::vector<uint32_t> cluster_of = merging.cut(tables);
    std::vector<uint32_t> table_of(rows.size());
    for (size_t r = 0; r < rows.size(); ++r) table_of[r] = cluster_of[group_of[r]];
    ChosenTables chosen = Division(rows, slots, std::move(table_of)).finish();
    chosen.stored = write_table_set(chosen.set);
    const CostBits cost = chosen.payload + whole_bits(8 * chosen.stored.size());
    if (cost < best_cost) {
      best_cost = cost;
      best = std::move(chosen);
    }
    if (tables == 1 || cost > best_cost + best_cost / kHopeless) return best;
  }
}

}  // namespace firn
