// Which state each pixel column shows: the largest total among the states that hold at any time in it, so that a
// peak is seen however far one zooms out, and the categories of a column are those of one moment.

// For each of `count` equal columns of [beginNs, endNs) an index into the timeline.
function largestByColumn(timeline, beginNs, endNs, count) {
  const {ns, total} = timeline;
  const shown = new Int32Array(count);
  let next = d3.bisectLeft(ns, beginNs);
  let state = Math.max(next - 1, 0);
  for (let column = 0; column < count; ++column) {
    const columnBegin = beginNs + (endNs - beginNs) * column / count;
    const columnEnd = beginNs + (endNs - beginNs) * (column + 1) / count;
    let largest = next < ns.length && ns[next] <= columnBegin ? next : state;
    for (; next < ns.length && ns[next] < columnEnd; ++next) {
      state = next;
      if (total[state] > total[largest]) largest = state;
    }
    shown[column] = largest;
  }
  return shown;
}

// Neighbouring columns that show the same state, joined: [{column, state}...].
function joinColumns(shown) {
  const joined = [];
  shown.forEach((state, column) => {
    if (column === 0 || state !== shown[column - 1]) joined.push({column, state});
  });
  return joined;
}
