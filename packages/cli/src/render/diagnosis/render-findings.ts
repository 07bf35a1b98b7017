/** Renders the findings of `plugboard doctor`. */
import { sanitize, sanitizeLine } from "@plugboard/contracts";
import { styled } from "../../terminal/text.ts";
import type { StyleName, Text } from "../../terminal/text.ts";

interface RenderedFinding {
  readonly severity: "ok" | "warning" | "error";
  readonly server?: string;
  readonly message: string;
  readonly fix?: string;
}

const MARKS: { readonly [S in RenderedFinding["severity"]]: readonly [mark: string, style: StyleName] } = {
  ok: ["✓", "green"],
  warning: ["!", "yellow"],
  error: ["✗", "red"],
};

export function renderFindings(findings: readonly RenderedFinding[]): Text {
  return [...findings.map(renderFinding), `\n${summary(findings)}\n`];
}

function renderFinding({ severity, server, message, fix }: RenderedFinding): Text {
  const [mark, style] = MARKS[severity];
  const name: Text = server === undefined ? "" : [styled("bold", sanitizeLine(server)), ": "];
  const remedy: Text = fix === undefined ? "" : [styled("dim", "  → "), indent(fix)];
  return [styled(style, mark), " ", name, indent(message), remedy];
}

function indent(text: string): string {
  return `${sanitize(text.trim()).replaceAll("\n", "\n    ")}\n`;
}

function summary(findings: readonly RenderedFinding[]): string {
  const [errors, warnings] = (["error", "warning"] as const).map(
    (severity) => findings.filter((finding) => finding.severity === severity).length,
  ) as [number, number];
  if (errors + warnings === 0) return "Everything is fine.";
  return `${count(errors, "error")}, ${count(warnings, "warning")}.`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
