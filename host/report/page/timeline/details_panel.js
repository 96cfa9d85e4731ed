// SPDX-License-Identifier: Apache-2.0
// Where the details of a clicked item appear: beside the plot, or on a narrow screen in a sheet from below. A swipe,
// a tap elsewhere, its button and Escape close it.

const SWIPE_PIXELS = 50;
const SHEET_CLEARANCE = 24;

class DetailsPanel {
  constructor() {
    this.box = document.getElementById('details');
    this.letGo = [];      // called to unpin what the panel describes
    this.pressedY = null; // where the reader last pressed the plot, in window coordinates
    const grip = document.getElementById('details-grip');
    grip.addEventListener('pointerdown', (event) => this.grab(event, grip));
    grip.addEventListener('pointermove', (event) => this.drag(event));
    grip.addEventListener('pointerup', (event) => this.drop(event));
    grip.addEventListener('pointercancel', () => this.settle());
    document.addEventListener('pointerdown', ({target, clientY}) => {
      const isPlot = target.closest('.stage-plot') !== null;
      this.pressedY = isPlot ? clientY : null;
      if (this.isSheet && this.isOpen && !isPlot && !this.box.contains(target)) this.close();
    });
  }

  get isOpen() { return this.box.classList.contains('is-open'); }
  get isSheet() { return getComputedStyle(this.box).position === 'fixed'; }

  // Content was added or removed.
  update() {
    const isOpen = [...this.box.querySelectorAll('.pinned')].some(({hidden}) => !hidden);
    document.getElementById('details-none').hidden = isOpen;
    this.box.classList.toggle('is-open', isOpen);
    if (!isOpen) return;
    this.box.scrollTop = 0;
    if (this.isSheet) this.uncover();
  }

  // The sheet must not cover what was pressed.
  uncover() {
    if (this.pressedY === null) return;
    const covered = this.pressedY + SHEET_CLEARANCE - (window.innerHeight - this.box.offsetHeight);
    if (covered > 0) window.scrollBy(0, covered);
    this.pressedY = null;
  }

  close() { for (const letGo of this.letGo) letGo(); }

  grab(event, grip) {
    this.from = event.clientY;
    grip.setPointerCapture(event.pointerId);
    this.box.classList.add('is-dragged');
  }

  drag({clientY}) {
    if (this.from !== undefined) this.box.style.transform = `translateY(${Math.max(clientY - this.from, 0)}px)`;
  }

  drop({clientY}) {
    const isSwipe = this.from !== undefined && clientY - this.from > SWIPE_PIXELS;
    this.settle();
    if (isSwipe) this.close();
  }

  settle() {
    this.from = undefined;
    this.box.style.transform = '';
    this.box.classList.remove('is-dragged');
  }
}
