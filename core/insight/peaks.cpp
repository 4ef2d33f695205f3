#include "core/insight/peaks.h"

#include <algorithm>

namespace hw {

std::vector<LocalPeak> localPeaks(const StepFunction& curve, Step end) {
  // The curve may have pieces without length, and neighbours of equal value: neither is a peak.
  std::vector<LocalPeak> runs;
  for (std::size_t i = 0; i < curve.pieces.size(); ++i) {
    const Step from = curve.pieces[i].from;
    const Step to = i + 1 < curve.pieces.size() ? std::min(end, curve.pieces[i + 1].from) : end;
    if (from >= to) continue;
    if (!runs.empty() && runs.back().bytes == curve.pieces[i].value) {
      runs.back().steps.end = to;
    } else {
      runs.push_back({{from, to}, curve.pieces[i].value});
    }
  }
  std::vector<LocalPeak> peaks;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Bytes before = i == 0 ? Bytes() : runs[i - 1].bytes;
    const Bytes after = i + 1 < runs.size() ? runs[i + 1].bytes : Bytes();
    if (runs[i].bytes > before && runs[i].bytes > after) peaks.push_back(runs[i]);
  }
  std::ranges::stable_sort(peaks, std::greater{}, &LocalPeak::bytes);
  return peaks;
}

}  // namespace hw
