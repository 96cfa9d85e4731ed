// SPDX-License-Identifier: Apache-2.0
// The module used to group a site's blocks that are too small to show: "layers.12" for "layers.12.attn.wq",
// because the parts are alike in every layer.

function moduleOfPath(path) {
  const parts = path.split('.');
  const numbered = parts.findIndex((part) => /^\d+$/.test(part));
  return parts.slice(0, numbered >= 0 ? numbered + 1 : 1).join('.');
}

// The owner's name gives the module; without an owner, the module that was running.
function moduleOfSite({name, layer}) {
  if (layer) return moduleOfPath(layer);
  return name.includes('.') ? moduleOfPath(name) : '';
}

// Numbers equal modules: {of: the number of each site, names}.
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

// "layers.12 – 14" for "layers.12" and "layers.14"; both names if they differ in more than their numbers.
function joinedModuleName(first, last) {
  if (first === last) return first;
  const number = last.match(/\d+$/);
  const stem = number && last.slice(0, -number[0].length);
  return number && first.startsWith(stem) && /^\d+$/.test(first.slice(stem.length)) ? `${first} – ${number[0]}`
    : [first, last].map((name) => name || '(no module)').join(' – ');
}
