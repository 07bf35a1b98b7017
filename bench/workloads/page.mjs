// @ts-check
/**
 * Measures a page in a real Chromium, with many servers and tools.
 *
 * - `script`: the size of all scripts that the page loads to become interactive, in kB, as served with gzip.
 * - `interactive`: the time from the start of the navigation, in a signed-in browser without cached files, until the list
 *   of servers has been painted, a key press in its filter has arrived, and the filtered list has been painted, in ms.
 * - `search`: the slowest of several key presses in the search of tools, from the key press until the frame with the
 *   result has been painted, in ms.
 */
import { get } from "node:http";
import { buffer } from "node:stream/consumers";
import { commandHome } from "../commands/command-home.mjs";
import { openBrowser } from "../pages/browser.mjs";
import { SPECIAL_SERVER, STDIO_SERVERS, startLoad } from "../pages/page.mjs";

/** @type {import("./workload.mjs").Begin} */
export async function begin({ contestant, serverNode }, { servers = 1, tools = 1, measures }) {
  const home = commandHome(serverNode);
  const { load, stop } = await startLoad(serverNode, servers, tools);
  /** @type {import("../pages/page.mjs").PageModule} */
  const pageModule = await import(`../pages/${contestant}.mjs`);
  const site = await pageModule.start(home, load);
  const browser = await openBrowser(site.signInUrl);
  await browser.navigate(site.origin + site.toolsPath);
  // All servers are connected when all tools are found.
  await browser.painted([foundTools(site, load.tools.length)]);
  const rounds = {
    script: () => scriptSize(browser, site),
    interactive: () => interactive(browser, site),
    search: searchRounds(browser, site, load),
  };
  return {
    round: rounds[measures ?? "interactive"],
    async end() {
      await browser.close();
      await site.stop();
      stop();
      home.remove();
    },
  };
}

/**
 * @typedef {import("../pages/browser.mjs").Browser} Browser
 * @typedef {import("../pages/page.mjs").Site} Site
 * @typedef {import("../pages/page.mjs").Load} Load
 */

/**
 * @param {Browser} browser
 * @param {Site} site
 */
async function interactive({ page, navigate, painted }, { origin, serversPath, selectors }) {
  await navigate(origin + serversPath);
  await painted([{ selector: selectors.names, atLeast: STDIO_SERVERS + 2 }], selectors.filter);
  await page.keyboard.press("q");
  // The commands of the stdio servers may contain the letter, too.
  const filtered = { selector: selectors.names, atMost: STDIO_SERVERS + 1, includes: SPECIAL_SERVER };
  return (await painted([filtered])).sinceNavigation;
}

/**
 * @param {Browser} browser
 * @param {Site} site
 */
async function scriptSize(browser, site) {
  await interactive(browser, site);
  const sizes = (await browser.scripts()).map(async (url) => {
    const [response] = await new Promise((resolve, reject) =>
      get(url, { headers: { "accept-encoding": "gzip" } }, (answer) => resolve([answer])).on("error", reject),
    );
    if (response.headers["content-encoding"] !== "gzip") throw new Error(`${url} is not compressed`);
    return (await buffer(response)).length;
  });
  if (sizes.length === 0) throw new Error("the page has loaded no script");
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0) / 1000;
}

/**
 * Each round searches the word that only one tool has, letter by letter.
 * @param {Browser} browser
 * @param {Site} site
 * @param {Load} load
 */
function searchRounds({ page, painted }, site, { tools }) {
  const { selectors } = site;
  const texts = tools.map((tool) => Object.values(tool).join(" ").toLowerCase());
  let made = 0;
  return async () => {
    await page.locator(selectors.search).fill("");
    await painted([foundTools(site, tools.length)], selectors.search);
    const { tool, description } = /** @type {typeof tools[0]} */ (tools[(made++ * 1237) % tools.length]);
    const word = /about (\w+)/.exec(description)?.[1] ?? "";
    const times = [];
    for (let length = 1; length <= word.length; length++) {
      const count = texts.filter((text) => text.includes(word.slice(0, length))).length;
      await page.keyboard.press(word.charAt(length - 1));
      const only = count === 1 ? [{ selector: selectors.tools, first: tool, atMost: 1 }] : [];
      times.push((await painted([foundTools(site, count), ...only])).sinceKey);
    }
    return Math.max(...times);
  };
}

/**
 * @param {Site} site
 * @param {number} count
 */
function foundTools({ selectors }, count) {
  return { selector: selectors.found, count };
}
