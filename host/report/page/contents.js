// SPDX-License-Identifier: Apache-2.0
// The bar of links to the page's sections. It lists the sections this page has and marks the one being read.

class Contents {
  constructor(bar) {
    this.bar = bar;
    this.sections = [...document.querySelectorAll('main [data-contents]')].filter(({hidden}) => !hidden);
    bar.hidden = this.sections.length < 2;
    const items = d3.select(bar).select('ul').selectAll('li').data(this.sections).enter().append('li')
      .attr('class', ({id}) => (id === 'ran-outs' ? 'alarming' : null));
    items.append('a').attr('href', ({id}) => `#${id}`).text(({dataset}) => dataset.contents);
    this.links = items.selectAll('a').nodes();
    document.addEventListener('scroll', () => this.followSoon(), {passive: true});
    new ResizeObserver(() => this.followSoon()).observe(document.body);
    this.follow();
  }

  followSoon() {
    if (this.pending) return;
    this.pending = requestAnimationFrame(() => {
      this.pending = null;
      this.follow();
    });
  }

  // The last section that begins above the upper third of the window; at the end of the page, the last section.
  current() {
    const {scrollHeight, clientHeight} = document.documentElement;
    const tops = this.sections.map((section, index) => ({index, top: section.getBoundingClientRect().top})).sort((a, b) => a.top - b.top);
    if (window.scrollY > 0 && window.scrollY + clientHeight >= scrollHeight - 2) return tops[tops.length - 1].index;
    const begun = tops.filter(({top}) => top <= this.bar.offsetHeight + clientHeight / 3);
    return (begun[begun.length - 1] || tops[0]).index;
  }

  follow() {
    if (this.bar.hidden) return;
    const current = this.current();
    if (current === this.marked) return;
    this.marked = current;
    this.links.forEach((link, index) => {
      if (index === current) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    });
    // Scroll only the bar; the page stays where it is.
    const list = this.links[current].closest('ul');
    const {left, right} = this.links[current].getBoundingClientRect();
    const room = list.getBoundingClientRect();
    if (left < room.left || right > room.right) list.scrollLeft += (left + right - room.left - room.right) / 2;
  }
}
