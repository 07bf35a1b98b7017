import { describe, expect, it } from "vitest";
import { planInstall } from "../test-runner/system-packages.mjs";

const chromium = { name: "Chromium", debian: "chromium", present: false };
const keyring = { name: "gnome-keyring-daemon", debian: "gnome-keyring", present: false };
const debian = { platform: "linux", root: true, apt: true, sudo: false } as const;

describe("planInstall", () => {
  it("plans no command if all programs are present", () => {
    expect(planInstall([{ ...chromium, present: true }], debian)).toEqual({ commands: [], optional: [] });
  });

  it("runs apt-get update and installs only the missing programs, as root", () => {
    const plan = planInstall([{ ...chromium, present: true }, keyring], debian);
    const apt = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq"];
    expect(plan).toEqual({
      commands: [
        [...apt, "update"],
        [...apt, "install", "-y", "--no-install-recommends", "gnome-keyring"],
      ],
      optional: [],
    });
  });

  it("installs a package that only makes the tests faster with a separate command", () => {
    const plan = planInstall([{ ...chromium, faster: "chromium-headless-shell" }], debian);
    expect(plan).toMatchObject({ commands: [{}, expect.not.arrayContaining(["chromium-headless-shell"])] });
    expect(plan).toMatchObject({ optional: [expect.arrayContaining(["install", "chromium-headless-shell"])] });
  });

  it("installs through sudo if sudo asks for no password", () => {
    const plan = planInstall([chromium], { ...debian, root: false, sudo: true });
    expect(plan).toMatchObject({
      commands: [["sudo", "-n", "env", ...Array(3).fill(expect.any(String)), "update"], {}],
    });
  });

  it.each([
    [
      { ...debian, root: false },
      "The tests need Chromium, gnome-keyring-daemon. Run: sudo apt-get install --no-install-recommends chromium gnome-keyring",
    ],
    [
      { ...debian, apt: false },
      "The tests need Chromium, gnome-keyring-daemon. Install them with your package manager.",
    ],
  ])("advises in one line if it can't install the programs itself: %o", (system, advice) => {
    expect(planInstall([chromium, keyring], system)).toEqual({ advice });
  });

  it("advises to install Chromium or to set its path on a system other than Linux", () => {
    const system = { ...debian, platform: "darwin", apt: false } as const;
    expect(planInstall([chromium], system)).toEqual({
      advice: "The tests need Chromium. Install it, or set CHROMIUM to its path.",
    });
  });
});
