// @ts-check
/**
 * Opens pages in a real Chromium, and measures in the page when something has been painted: a script checks in each frame
 * whether the page shows it, and takes the time in the first task after that frame.
 */
import { launchChromium } from "@plugboard/testkit/chromium";

/** @typedef {{ selector: string, atLeast?: number, atMost?: number, includes?: string, first?: string, count?: number }} Shown */

/** @param {string | undefined} signInUrl */
export async function openBrowser(signInUrl) {
  const browser = await launchChromium();
  process.once("exit", () => void browser.close());
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.addInitScript(probe);
  if (signInUrl) {
    await page.goto(signInUrl);
    await page.getByRole("heading", { level: 1, name: "Servers" }).waitFor();
  }
  const devtools = await context.newCDPSession(page);
  return {
    page,
    /** Opens a new document without cached files. Resolves at once. @param {string} url */
    async navigate(url) {
      await page.goto("about:blank");
      await devtools.send("Network.clearBrowserCache");
      await page.goto(url, { waitUntil: "commit" });
    },
    /**
     * Resolves when the page has painted all of it. Returns the time since the start of the navigation, and the time
     * since the last key press, in ms.
     * @param {readonly Shown[]} expected
     * @param {string} [focus] the field that gets the focus then
     * @returns {Promise<{ sinceNavigation: number, sinceKey: number }>}
     */
    painted: (expected, focus) =>
      page.evaluate(
        ([shown, field]) => /** @type {any} */ (globalThis).painted(shown, field),
        /** @type {const} */ ([expected, focus]),
      ),
    /** Returns the URLs of the scripts that the page has loaded. @returns {Promise<string[]>} */
    scripts: () =>
      page.evaluate(() =>
        performance
          .getEntriesByType("resource")
          .filter((entry) => /** @type {PerformanceResourceTiming} */ (entry).initiatorType === "script")
          .map(({ name }) => name),
      ),
    close: () => browser.close(),
  };
}

/** Runs in the page, before its own scripts. */
function probe() {
  let keyPressed = 0;
  addEventListener("keydown", ({ timeStamp }) => (keyPressed = timeStamp), { capture: true });
  /** @param {Shown} shown */
  const isShown = ({ selector, atLeast = 1, atMost = Infinity, includes, first, count }) => {
    const texts = [...document.querySelectorAll(selector)].map(({ textContent }) => (textContent ?? "").trim());
    return (
      texts.length >= atLeast &&
      texts.length <= atMost &&
      (includes === undefined || texts.includes(includes)) &&
      (first === undefined || texts[0] === first) &&
      (count === undefined || texts[0]?.replaceAll(/\D/g, "") === String(count))
    );
  };
  /** @type {any} */ (globalThis).painted = (/** @type {readonly Shown[]} */ expected, /** @type {string} */ field) =>
    new Promise((resolve) => {
      const check = () => {
        if (!expected.every(isShown)) return void requestAnimationFrame(check);
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => {
          const now = performance.now();
          if (field) /** @type {HTMLElement} */ (document.querySelector(field)).focus();
          resolve({ sinceNavigation: now, sinceKey: now - keyPressed });
        };
        port2.postMessage(undefined);
      };
      requestAnimationFrame(check);
    });
}
