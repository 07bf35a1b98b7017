// @ts-check
/**
 * Opens pages in a real Chromium, and measures in the page when something has been painted: `probe.js` checks in each
 * frame whether the page shows it, and takes the time in the first task after that frame.
 */
import { fileURLToPath } from "node:url";
import { launchChromium } from "@plugboard/testkit/programs/chromium";

const PROBE = fileURLToPath(new URL("probe.js", import.meta.url));

/**
 * @typedef {object} Shown the elements that a selector must match
 * @property {string} selector
 * @property {number} [atLeast] by default 1
 * @property {number} [atMost]
 * @property {string} [includes] the text of one of the matching elements
 * @property {string} [first] the text of the first matching element
 * @property {number} [count] the number in the text of the first matching element
 *
 * @typedef {object} Painted both in ms
 * @property {number} sinceNavigation
 * @property {number} sinceKey
 *
 * @typedef {Awaited<ReturnType<typeof openBrowser>>} Browser
 */

/** @param {string | undefined} signInUrl */
export async function openBrowser(signInUrl) {
  const browser = await launchChromium({ whole: true });
  process.once("exit", () => void browser.close());
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.addInitScript({ path: PROBE });
  if (signInUrl !== undefined) {
    await page.goto(signInUrl);
    await page.getByRole("heading", { level: 1, name: "Servers" }).waitFor();
  }
  const devtools = await context.newCDPSession(page);

  /**
   * Opens a new document without cached files. Does not wait until the document is loaded.
   * @param {string} url
   */
  const navigate = async (url) => {
    await page.goto("about:blank");
    await devtools.send("Network.clearBrowserCache");
    await page.goto(url, { waitUntil: "commit" });
  };

  /**
   * Resolves when the page has painted everything that is expected. If a field is given, it gets the focus then.
   * @param {readonly Shown[]} expected
   * @param {string} [field]
   * @returns {Promise<Painted>}
   */
  const painted = (expected, field) =>
    page.evaluate(`painted(${JSON.stringify(expected)}, ${JSON.stringify(field ?? "")})`);

  /**
   * Returns the URLs of the scripts that the page has loaded.
   * @returns {Promise<string[]>}
   */
  const scripts = () =>
    page.evaluate(`performance.getEntriesByType("resource")
    .filter(({ initiatorType }) => initiatorType === "script").map(({ name }) => name)`);

  return { page, navigate, painted, scripts, close: () => browser.close() };
}
