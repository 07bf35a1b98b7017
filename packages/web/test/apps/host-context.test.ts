/** Tests what an App learns about the page. */
import { readFile } from "node:fs/promises";
import type { OfferedTool } from "@plugboard/contracts";
import { FIRST_HEIGHT, hostContext, limitHeight, onThemeChanged, themeContext } from "#apps/host-context.js";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

let media: { [query: string]: EventTarget & { matches: boolean } };
const mediaFor = (query: string) => (media[query] ??= Object.assign(new EventTarget(), { matches: false }));

beforeEach(() => {
  media = {};
  vi.stubGlobal("document", { documentElement: {} });
  vi.stubGlobal("navigator", { language: "de" });
  vi.stubGlobal("matchMedia", mediaFor);
  vi.stubGlobal("getComputedStyle", () => ({ getPropertyValue: (name: string) => ` value of ${name} ` }));
});
afterEach(() => vi.unstubAllGlobals());

const setDark = (matches: boolean) => {
  const query = mediaFor("(prefers-color-scheme: dark)");
  query.matches = matches;
  query.dispatchEvent(new Event("change"));
};
const TOOL = {
  server: "s",
  tool: "show",
  description: "Shows",
  inputSchema: { type: "object" },
} as unknown as OfferedTool;

describe("the context of an App", () => {
  it("has the theme of the page, and a value for each variable", () => {
    expect(themeContext()["theme"]).toBe("light");
    setDark(true);
    expect(themeContext()["theme"]).toBe("dark");
  });

  it("gives each variable of the specification the token of the page with the same meaning", async () => {
    const { variables } = themeContext()["styles"] as { readonly variables: { readonly [name: string]: string } };
    expect(variables).toMatchInlineSnapshot(`
      {
        "--border-radius-lg": "value of --radius-large",
        "--border-radius-md": "value of --radius",
        "--border-radius-sm": "value of --radius",
        "--color-background-danger": "value of --color-danger-soft",
        "--color-background-disabled": "value of --color-neutral-soft",
        "--color-background-info": "value of --color-info-soft",
        "--color-background-inverse": "value of --color-text",
        "--color-background-primary": "value of --color-surface",
        "--color-background-secondary": "value of --color-page",
        "--color-background-success": "value of --color-ok-soft",
        "--color-background-tertiary": "value of --color-sunken",
        "--color-background-warning": "value of --color-warn-soft",
        "--color-border-primary": "value of --color-line",
        "--color-border-secondary": "value of --color-line",
        "--color-ring-primary": "value of --color-accent",
        "--color-text-danger": "value of --color-danger",
        "--color-text-disabled": "value of --color-line-strong",
        "--color-text-info": "value of --color-info",
        "--color-text-inverse": "value of --color-surface",
        "--color-text-primary": "value of --color-text",
        "--color-text-secondary": "value of --color-text-muted",
        "--color-text-success": "value of --color-ok",
        "--color-text-tertiary": "value of --color-text-muted",
        "--color-text-warning": "value of --color-warn",
        "--font-heading-md-size": "value of --size-title",
        "--font-mono": "value of --font-code",
        "--font-sans": "value of --font-text",
        "--font-text-md-size": "value of --size-large",
        "--font-text-sm-size": "value of --size-text",
        "--font-text-xs-size": "value of --size-small",
      }
    `);
    const tokens = await readFile(new URL("../../src/styles/tokens.css", import.meta.url), "utf8");
    for (const value of Object.values(variables)) expect(tokens).toContain(`${value.replace("value of ", "")}:`);
  });

  it("describes the tool, the frame and the device", () => {
    media["(any-pointer: coarse)"] = Object.assign(new EventTarget(), { matches: true });
    const { styles: _, ...context } = hostContext(TOOL, "fullscreen", 640);
    expect(context).toEqual({
      theme: "light",
      toolInfo: { tool: { name: "show", description: "Shows", inputSchema: { type: "object" } } },
      displayMode: "fullscreen",
      availableDisplayModes: ["inline", "fullscreen"],
      containerDimensions: { width: 640, maxHeight: 1200 },
      locale: "de",
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      userAgent: "plugboard",
      platform: "web",
      deviceCapabilities: { touch: true, hover: false },
    });
    expect(hostContext({ ...TOOL, title: "Show" }, "inline", 1)).toMatchObject({
      toolInfo: { tool: { title: "Show" } },
      displayMode: "inline",
    });
  });

  it("is reported again when the theme changes, until the App ends", () => {
    const listener = vi.fn<() => void>();
    const stop = onThemeChanged(listener);
    setDark(true);
    expect(listener).toHaveBeenCalledTimes(1);
    stop();
    setDark(false);
    expect(listener).toHaveBeenCalledTimes(1);
  });
});

describe("the height of an App", () => {
  it("is a whole number within limits", () => {
    expect([-5, 39, 40, 300.2, 1200, 1201, 1e9].map(limitHeight)).toEqual([40, 40, 40, 301, 1200, 1200, 1200]);
    expect(FIRST_HEIGHT).toBe(240);
  });
});
