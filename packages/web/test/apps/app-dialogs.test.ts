/** Tests what the user sees before an App is shown, and before a request of it is carried out. */
import { NO_APP_ORIGINS } from "@plugboard/contracts";
import type { AppOrigins } from "@plugboard/contracts";
import { AppConsent } from "#apps/app-consent.js";
import type { AppRequest } from "#apps/app-ports.js";
import { AppRequestDialog } from "#apps/app-request.js";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";

const textOf = (html: string) => html.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");

describe("the consent to an App", () => {
  const show = (origins: Partial<AppOrigins>) => {
    const app = {
      html: "",
      declaration: { origins: NO_APP_ORIGINS, permissions: [] },
      allowed: { ...NO_APP_ORIGINS, ...origins },
      refused: [],
    };
    return textOf(renderToStaticMarkup(createElement(AppConsent, { server: "apps", app, onAllow: () => {} })));
  };

  it.each<[keyof AppOrigins, string]>([
    ["connect", "Sends requests to"],
    ["resources", "Loads scripts, images and styles from"],
    ["frames", "Shows pages of"],
    ["baseUris", "Resolves relative URLs against"],
  ])("names the origins that are declared for %s, and no use that is not declared", (use, text) => {
    const shown = show({ [use]: ["https://a.example"] });
    expect(shown).toContain(`${text}: https://a.example`);
    expect(shown.match(/(?:to|from|of|against): /g)).toHaveLength(1);
  });

  it("warns only of an origin that may be in the user's own network", () => {
    expect(show({ connect: ["http://nas.local"] })).toContain("may be in your own network");
    expect(show({ connect: ["https://a.example"] })).not.toContain("may be in your own network");
  });
});

describe("the question about a request of an App", () => {
  const show = (request: AppRequest) =>
    renderToStaticMarkup(createElement(AppRequestDialog, { server: "apps", request, onAnswer: () => {} }));

  it("shows a link with its host", () => {
    const html = show({ type: "link", url: "https://a.example/b" });
    expect(textOf(html)).toContain("The App of apps wants to open a page");
    expect(textOf(html)).toContain("The page is at a.example . https://a.example/b ");
    expect(html.match(/<pre/g)).toHaveLength(1);
    expect(html).not.toContain("<ul>");
  });

  it("shows a message to the model", () => {
    const html = show({ type: "message", text: "Say more" });
    expect(textOf(html)).toContain("wants to send this message to the model, as yours");
    expect(html).toContain("Say more</pre>");
    expect(html.match(/<pre/g)).toHaveLength(1);
    expect(html).not.toContain("The page is at");
  });

  it("shows each file with its size", () => {
    const blob = new Blob(["abc"]);
    const html = show({
      type: "download",
      files: [
        { name: "a.txt", blob },
        { name: "a.txt", blob },
      ],
    });
    expect(textOf(html)).toContain("wants to save files");
    expect(html.match(/<li><code>a\.txt<\/code>/g)).toHaveLength(2);
    expect(html).not.toContain("<pre");
  });

  it("can't be accepted at once", () => {
    expect(show({ type: "message", text: "a" })).toMatch(/<button[^>]*disabled=""[^>]*>Send it/);
  });
});
