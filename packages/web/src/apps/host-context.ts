/** The facts that an App learns about the page: colours, fonts, language and the tool that it belongs to. */
import type { JsonObject, OfferedTool } from "@plugboard/contracts";
import type { DisplayMode } from "./app-ports.ts";

/** The variables of the specification, and the tokens of the page with the same meaning. */
const VARIABLES: { readonly [variable: string]: string } = {
  "--color-background-primary": "--color-surface",
  "--color-background-secondary": "--color-page",
  "--color-background-tertiary": "--color-sunken",
  "--color-background-inverse": "--color-text",
  "--color-background-info": "--color-info-soft",
  "--color-background-danger": "--color-danger-soft",
  "--color-background-success": "--color-ok-soft",
  "--color-background-warning": "--color-warn-soft",
  "--color-background-disabled": "--color-neutral-soft",
  "--color-text-primary": "--color-text",
  "--color-text-secondary": "--color-text-muted",
  "--color-text-tertiary": "--color-text-muted",
  "--color-text-inverse": "--color-surface",
  "--color-text-info": "--color-info",
  "--color-text-danger": "--color-danger",
  "--color-text-success": "--color-ok",
  "--color-text-warning": "--color-warn",
  "--color-text-disabled": "--color-line-strong",
  "--color-border-primary": "--color-line",
  "--color-border-secondary": "--color-line",
  "--color-ring-primary": "--color-accent",
  "--font-sans": "--font-text",
  "--font-mono": "--font-code",
  "--font-text-xs-size": "--size-small",
  "--font-text-sm-size": "--size-text",
  "--font-text-md-size": "--size-large",
  "--font-heading-md-size": "--size-title",
  "--border-radius-sm": "--radius",
  "--border-radius-md": "--radius",
  "--border-radius-lg": "--radius-large",
};

/** The part that changes with the colours of the page. */
export function themeContext(): JsonObject {
  const style = getComputedStyle(document.documentElement);
  const variables = Object.entries(VARIABLES).map(([name, token]) => [name, style.getPropertyValue(token).trim()]);
  return {
    theme: darkScheme().matches ? "dark" : "light",
    styles: { variables: Object.fromEntries(variables) as JsonObject },
  };
}

export function hostContext(tool: OfferedTool, mode: DisplayMode, width: number): JsonObject {
  const { tool: name, title, description, inputSchema } = tool;
  return {
    ...themeContext(),
    toolInfo: { tool: { name, ...(title !== undefined && { title }), description, inputSchema } },
    displayMode: mode,
    availableDisplayModes: ["inline", "fullscreen"],
    containerDimensions: { width, maxHeight: MAX_HEIGHT },
    locale: navigator.language,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    userAgent: "plugboard",
    platform: "web",
    deviceCapabilities: { touch: matches("(any-pointer: coarse)"), hover: matches("(any-hover: hover)") },
  };
}

/** Calls the listener when the page changes between light and dark. Returns the function that removes it. */
export function onThemeChanged(listener: () => void): () => void {
  const query = darkScheme();
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
}

/** The height that an App has at first. */
export const FIRST_HEIGHT = 240;
const MIN_HEIGHT = 40;
const MAX_HEIGHT = 1200;

export function limitHeight(height: number): number {
  return Math.min(MAX_HEIGHT, Math.max(MIN_HEIGHT, Math.ceil(height)));
}

function darkScheme(): MediaQueryList {
  return matchMedia("(prefers-color-scheme: dark)");
}

function matches(query: string): boolean {
  return matchMedia(query).matches;
}
