// SPDX-License-Identifier: Apache-2.0
// The module that a site's blocks are told under when they are too small to be told alone: "layers.12" of
// "layers.12.attn.wq", whose parts are alike in every layer.

function moduleOfPath(path) {
  const parts = path.split('.');
  const numbered = parts.findIndex((part) => /^\d+$/.test(part));
  return parts.slice(0, numbered >= 0 ? numbered + 1 : 1).join('.');
}

// A name tells the module of its owner; without one, the module that was at work.
function moduleOfSite({name, layer}) {
  if (layer) return moduleOfPath(layer);
  return name.includes('.') ? moduleOfPath(name) : '';
}

// Numbers for equal modules: {of: one of each site, names}.
function siteModules(sites) {
  const names = [];
  const numbers = new Map();
  const of = Uint32Array.from(sites, (site) => {
    const name = moduleOfSite(site);
    if (!numbers.has(name)) {
      numbers.set(name, names.length);
      names.push(name);
    }
    return numbers.get(name);
  });
  return {of, names};
}

// "layers.12 – 14" of "layers.12" and "layers.14"; both where they differ in more than their numbers.
function joinedModuleName(first, last) {
  if (first === last) return first;
  const number = last.match(/\d+$/);
  const stem = number && last.slice(0, -number[0].length);
  return number && first.startsWith(stem) && /^\d+$/.test(first.slice(stem.length)) ? `${first} – ${number[0]}`
    : [first, last].map((name) => name || '(no module)').join(' – ');
}
