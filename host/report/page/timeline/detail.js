// SPDX-License-Identifier: Apache-2.0
// How many allocations are shown: a detail of 10 % shows the largest tenth of the run's allocations and all of equal
// size to the smallest of these. Hidden ones stay in their category's remainder.

// The size an allocation must have, counted as largest_blocks() of host/analysis does.
function leastBytesOf(events, detail) {
  const {bySize, bytes} = events;
  if (detail >= 1 || bySize.length === 0) return 0;
  return bytes[bySize[Math.max(Math.ceil(bySize.length * detail), 1) - 1]];
}

const DETAILS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1];  // the slider's stops

class DetailSlider {
  constructor(chart) {
    this.chart = chart;
    const slider = d3.select('#detail').attr('max', DETAILS.length - 1).property('value', DETAILS.length - 1);
    slider.on('input', () => this.show(DETAILS[Number(slider.property('value'))]));
    this.show(1);
  }

  show(detail) {
    const {chart} = this;
    const {events} = chart;
    const leastBytes = leastBytesOf(events, detail);
    const shown = detail >= 1 ? events.bySize.length : events.countOfAtLeast(leastBytes);
    const percent = `${+(detail * 100).toFixed(1)} %`;
    d3.select('#detail').attr('aria-valuetext', percent);
    d3.select('#detail-text').text(detail >= 1 ? 'all allocations'
      : `${percent}: the ${withThousands(shown)} of at least ${mebibytes(leastBytes, chart.run.decimals)} MiB`);
    chart.set({leastBytes});
  }
}
