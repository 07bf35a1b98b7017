// @ts-check
/**
 * Installs the system programs that the tests need, with apt-get as root or through a passwordless sudo. On other
 * systems it prints one line that says what to install. Uses only Node builtins, so it works in a fresh clone.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { root } from "../run.mjs";

/**
 * @typedef {object} Need
 * @property {string} name as the user knows it
 * @property {string} debian the Debian package
 * @property {string} [faster] a Debian package that makes the tests faster, but that some systems do not have
 * @property {boolean} present
 *
 * @typedef {{ platform: NodeJS.Platform, root: boolean, apt: boolean, sudo: boolean }} System
 */

/** @returns {Need[]} the programs that `npm test` needs on this system */
export function testNeeds() {
  // Only Linux has a keyring that a test can start on a D-Bus of its own.
  const keyring = [
    { name: "dbus-daemon", debian: "dbus", present: onPath("dbus-daemon") },
    { name: "gnome-keyring-daemon", debian: "gnome-keyring", present: onPath("gnome-keyring-daemon") },
  ];
  // Servers run in sandboxes. One of the hostile ones makes system calls with perl.
  const sandbox = [
    { name: "bwrap", debian: "bubblewrap", present: onPath("bwrap") },
    { name: "slirp4netns", debian: "slirp4netns", present: onPath("slirp4netns") },
    { name: "perl", debian: "perl-base", present: onPath("perl") },
  ];
  // The completion scripts are tested in their shells.
  const shells = ["zsh", "fish"].map((shell) => ({ name: shell, debian: shell, present: onPath(shell) }));
  // Tests run faster in the headless shell, but work without it: some systems have no such package.
  const chromium = { name: "Chromium", debian: "chromium", faster: "chromium-headless-shell", present: hasChromium() };
  return process.platform === "linux" ? [chromium, ...keyring, ...sandbox, ...shells] : [chromium];
}

/**
 * Returns the exit status, which is 0 if all programs are installed.
 * @param {readonly Need[]} needs
 */
export function installMissing(needs) {
  const plan = planInstall(needs, thisSystem());
  if ("advice" in plan) {
    console.error(plan.advice);
    return 1;
  }
  for (const [program = "", ...args] of plan.commands) {
    const status = run(program, args);
    if (status !== 0) {
      console.error(adviceFor(needs, thisSystem()));
      return status;
    }
  }
  for (const [program = "", ...args] of plan.optional) run(program, args);
  return 0;
}

/**
 * @param {string} program
 * @param {readonly string[]} args
 */
function run(program, args) {
  console.log(`> ${[program, ...args].join(" ")}`);
  return spawnSync(program, args, { stdio: ["ignore", "inherit", "inherit"] }).status ?? 1;
}

/**
 * Decides how to install the missing programs. The tests work even if one of the `optional` commands fails. Pure.
 * @param {readonly Need[]} needs
 * @param {System} system
 * @returns {{ commands: string[][], optional: string[][] } | { advice: string }}
 */
export function planInstall(needs, system) {
  const missing = needs.filter(({ present }) => !present);
  if (missing.length === 0) return { commands: [], optional: [] };
  if (!system.apt || !(system.root || system.sudo)) return { advice: adviceFor(needs, system) };
  const apt = [...(system.root ? [] : ["sudo", "-n"]), "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq"];
  const packages = missing.map(({ debian }) => debian);
  const install = [...apt, "install", "-y", "--no-install-recommends"];
  // The package lists of a fresh system are empty, so update comes first.
  return {
    commands: [
      [...apt, "update"],
      [...install, ...packages],
    ],
    optional: missing.flatMap(({ faster }) => (faster === undefined ? [] : [[...install, faster]])),
  };
}

/**
 * @param {readonly Need[]} needs
 * @param {System} system
 */
function adviceFor(needs, { platform, apt }) {
  const missing = needs.filter(({ present }) => !present);
  const names = missing.map(({ name }) => name).join(", ");
  if (apt) {
    const packages = missing.map(({ debian }) => debian).join(" ");
    return `The tests need ${names}. Run: sudo apt-get install --no-install-recommends ${packages}`;
  }
  if (platform === "linux") return `The tests need ${names}. Install them with your package manager.`;
  return `The tests need ${names}. Install it, or set CHROMIUM to its path.`;
}

/** @returns {System} */
function thisSystem() {
  const isRoot = process.getuid?.() === 0;
  const apt = onPath("apt-get");
  return {
    platform: process.platform,
    root: isRoot,
    apt,
    sudo: apt && !isRoot && spawnSync("sudo", ["-n", "true"], { stdio: "ignore" }).status === 0,
  };
}

/** @param {string} program */
export function onPath(program) {
  return (process.env["PATH"] ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)));
}

function hasChromium() {
  const configuredPath = process.env["CHROMIUM"];
  const defaultPaths = JSON.parse(readFileSync(join(root, "packages", "testkit", "chromium-paths.json"), "utf8"));
  return (configuredPath === undefined ? defaultPaths : [configuredPath]).some((/** @type {string} */ path) =>
    existsSync(path),
  );
}
