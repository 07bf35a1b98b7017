/**
 * Checks the page in light and dark, wide and narrow: axe finds nothing serious, and nothing is wider than the screen.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { expect } from "vitest";

const axeSource = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/** With dark colours, only these rules are checked, because nothing else differs. */
const COLOR_RULES = ["color-contrast", "link-in-text-block"];
const LOOKS = [
  { colorScheme: "dark", width: 1280, rules: COLOR_RULES },
  { colorScheme: "dark", width: 360, rules: COLOR_RULES },
  { colorScheme: "light", width: 360, rules: undefined },
  { colorScheme: "light", width: 1280, rules: undefined },
] as const;

/** Lets a test run axe despite the policy of the page, and without transitions, in which colours lack contrast. */
export const AXE_TAB = { bypassCSP: true, reducedMotion: "reduce" } as const;

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Loads axe. Called once for each page that was opened with `AXE_TAB`. */
export async function loadAxe(page: Page): Promise<void> {
  await page.evaluate(axeSource);
}

/** Checks a part of the page, which is a CSS selector, in each look. The content of Apps is not checked. */
export async function expectAccessible(page: Page, title: string, part = "html"): Promise<void> {
  for (const { colorScheme, width, rules } of LOOKS) {
    const look = `${title}, ${colorScheme}, ${width} px wide`;
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    expect(await seriousFindings(page, part, rules), look).toEqual([]);
    const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
    expect(overflow, look).toBeLessThanOrEqual(0);
  }
}

async function seriousFindings(page: Page, part: string, rules: readonly string[] | undefined): Promise<string[]> {
  const options = { iframes: false, resultTypes: ["violations"], ...(rules && { runOnly: rules }) };
  const script = `axe.run(${JSON.stringify(part)}, ${JSON.stringify(options)})`;
  const { violations } = (await page.evaluate(script)) as { readonly violations: readonly Finding[] };
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}
