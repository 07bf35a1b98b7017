// @ts-check
/**
 * Draws the pictures of the page in docs/images: opens the page of a host with real servers in Chromium. Run it after
 * `npm run build`.
 */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { startDaemon } from "@plugboard/daemon";
import { launchChromium } from "@plugboard/testkit/programs/chromium";
import { root } from "../run.mjs";

const images = join(root, "docs", "images");
const home = mkdtempSync(join(tmpdir(), "plugboard-pictures-"));
const bin = join(home, "bin");
const notes = join(home, "notes");
mkdirSync(bin);
mkdirSync(notes);
writeFileSync(join(notes, "ideas.md"), readFileSync(join(root, "examples", "desk", "welcome.md")));

/** Commands with short names for the installed servers, so that the pictures show no path of this machine. */
for (const [name, server] of Object.entries({
  "mcp-everything": "server-everything",
  "mcp-files": "server-filesystem",
  "mcp-memory": "server-memory",
  "mcp-budget": "server-budget-allocator",
})) {
  const script = join(root, "node_modules/@modelcontextprotocol", server, "dist/index.js");
  writeFileSync(join(bin, name), `#!/bin/sh\nexec "${process.execPath}" "${script}" "$@"\n`);
  chmodSync(join(bin, name), 0o755);
}
writeFileSync(join(bin, "mcp-mail"), "#!/bin/sh\necho 'Error: MAIL_TOKEN is not set' >&2\nexit 1\n");
chmodSync(join(bin, "mcp-mail"), 0o755);

// Servers get the PATH of this process.
process.env["PATH"] = `${bin}${delimiter}${process.env["PATH"] ?? ""}`;
const env = {
  PATH: process.env["PATH"],
  HOME: home,
  XDG_STATE_HOME: join(home, "state"),
  PLUGBOARD_CONFIG_PATH: join(home, "config.json"),
};
const servers = {
  everything: { command: "mcp-everything" },
  files: { command: "mcp-files", args: ["."] },
  memory: { command: "mcp-memory" },
  budget: { command: "mcp-budget", args: ["--stdio"] },
  mail: { command: "mcp-mail" },
  archive: { command: "mcp-files", args: ["/archive"], enabled: false },
};
const permissions = {
  allow: ["files:read_*", "files:list_*", "everything:*", "budget:*"],
  deny: ["everything:get-env"],
};
writeFileSync(env.PLUGBOARD_CONFIG_PATH, JSON.stringify({ mcp: { servers, permissions } }));

const daemon = await startDaemon({ env, port: 0, spec: { cwd: notes } });
const browser = await launchChromium({ whole: true });
try {
  await daemon.workspace.start();
  for (let call = 0; call < 24; call++) {
    await daemon.workspace.tools.call("everything:get-sum", { a: call, b: 1 });
    await daemon.workspace.tools.call("files:list_directory", { path: "." });
  }
  await draw("page-servers", "light", "#/servers", "ready");
  await draw("page-tool", "dark", "#/tools/everything/get-sum", "Permission rules", async (page) => {
    await page.getByLabel("a", { exact: true }).fill("19");
    await page.getByLabel("b", { exact: true }).fill("23");
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await page.getByText("done", { exact: true }).waitFor();
  });
  await draw("page-app", "light", "#/tools/budget/get-budget-data", "Permission rules", async (page) => {
    await page.getByRole("button", { name: "Call", exact: true }).click();
    const app = page.frameLocator("iframe.app-frame").frameLocator("iframe");
    await page.locator("iframe.app-frame").scrollIntoViewIfNeeded();
    await app.getByText("Allocated").waitFor();
    // The App tells its height after it is drawn.
    await page.waitForFunction('document.querySelector("iframe.app-frame").offsetHeight > 400');
    await page.evaluate('document.querySelector(".app").scrollIntoView({ block: "end" })');
    // The chart of the App moves for a second.
    await page.waitForTimeout(2000);
  });
} finally {
  await browser.close();
  await daemon.stop();
  rmSync(home, { recursive: true, force: true });
}

/**
 * @param {string} name
 * @param {"light" | "dark"} colorScheme
 * @param {string} view
 * @param {string} text that the view shows when it is loaded
 * @param {(page: import("playwright-core").Page) => Promise<void>} [prepare]
 */
async function draw(name, colorScheme, view, text, prepare = async () => {}) {
  const context = await browser.newContext({ colorScheme, viewport: { width: 1160, height: 700 } });
  const page = await context.newPage();
  await page.goto(daemon.openPage().url);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.evaluate(`location.hash = ${JSON.stringify(view)}`);
  await page.getByText(text).first().waitFor();
  await prepare(page);
  await page.screenshot({ path: join(images, `${name}.png`) });
  await context.close();
}
