/** Runs in a page, before the page's own scripts. `browser.mjs` calls `painted`. */
(() => {
  let keyPressed = 0;
  addEventListener("keydown", ({ timeStamp }) => (keyPressed = timeStamp), { capture: true });

  const isShown = ({ selector, atLeast = 1, atMost = Infinity, includes, first, count }) => {
    const texts = [...document.querySelectorAll(selector)].map(({ textContent }) => textContent.trim());
    return (
      texts.length >= atLeast &&
      texts.length <= atMost &&
      (includes === undefined || texts.includes(includes)) &&
      (first === undefined || texts[0] === first) &&
      (count === undefined || texts[0]?.replaceAll(/\D/g, "") === String(count))
    );
  };

  /**
   * Checks in each frame whether everything expected is shown. The posted message arrives in the first task after that
   * frame, when the frame has been painted.
   */
  globalThis.painted = (expected, field) =>
    new Promise((resolve) => {
      const done = () => {
        const now = performance.now();
        if (field) document.querySelector(field).focus();
        resolve({ sinceNavigation: now, sinceKey: now - keyPressed });
      };
      const check = () => {
        if (!expected.every(isShown)) return void requestAnimationFrame(check);
        const { port1, port2 } = new MessageChannel();
        port1.addEventListener("message", done);
        port1.start();
        port2.postMessage(undefined);
      };
      requestAnimationFrame(check);
    });
})();
