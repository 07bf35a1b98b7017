import { describe, expect, it } from "vitest";
import { planInstall } from "../system-packages.mjs";

const chromium = { name: "Chromium", debian: "chromium", present: false };
const keyring = { name: "gnome-keyring-daemon", debian: "gnome-keyring", present: false };
const debian = { platform: "linux", root: true, apt: true, sudo: false } as const;

describe("the system programs that the tests need", () => {
  it("are not touched if all of them are present", () => {
    expect(planInstall([{ ...chromium, present: true }], debian)).toEqual({ commands: [] });
  });

  it("are installed by apt-get as root, the missing ones only, after an update", () => {
    const plan = planInstall([{ ...chromium, present: true }, keyring], debian);
    const apt = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq"];
    expect(plan).toEqual({
      commands: [
        [...apt, "update"],
        [...apt, "install", "-y", "--no-install-recommends", "gnome-keyring"],
      ],
    });
  });

  it("are installed through sudo if it asks for no password", () => {
    const plan = planInstall([chromium], { ...debian, root: false, sudo: true });
    expect(plan).toMatchObject({
      commands: [["sudo", "-n", "env", ...Array(3).fill(expect.any(String)), "update"], {}],
    });
  });

  it.each([
    [
      { ...debian, root: false },
      "The tests need Chromium, gnome-keyring-daemon. Install first: sudo apt-get install --no-install-recommends chromium gnome-keyring",
    ],
    [
      { ...debian, apt: false },
      "The tests need Chromium, gnome-keyring-daemon. Install first, with the package manager of your system.",
    ],
  ])("are named in one line where they can't be installed: %o", (system, advice) => {
    expect(planInstall([chromium, keyring], system)).toEqual({ advice });
  });
});
