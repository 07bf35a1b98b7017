/** Tests which files an App may save, under which names. */
import type { ContentBlock } from "@plugboard/contracts";
import { toFiles } from "#apps/files-to-save.js";
import { describe, expect, it } from "vitest";

const file = (resource: unknown) => ({ type: "resource", resource }) as ContentBlock;

describe("toFiles", () => {
  it("takes texts and bytes with their types", async () => {
    const files = toFiles([
      file({ uri: "file:///a/one.txt", mimeType: "text/plain", text: "text" }),
      file({ uri: "two.bin", mimeType: 5, blob: btoa("\u0000\u00ffx") }),
    ]);
    expect(files.map(({ name, blob }) => [name, blob.type])).toEqual([
      ["one.txt", "text/plain"],
      ["two.bin", "application/octet-stream"],
    ]);
    expect(await files[0]!.blob.text()).toBe("text");
    expect([...new Uint8Array(await files[1]!.blob.arrayBuffer())]).toEqual([0, 255, 120]);
  });

  it("skips blocks without content", () => {
    expect(
      toFiles([{ type: "text", text: "a" }, file("text"), file({ uri: "a" }), file({ text: 5, blob: 5 })]),
    ).toEqual([]);
  });

  it.each<[unknown, string]>([
    ["file:///a/b/c.txt", "c.txt"],
    ["C:\\a\\c.txt", "c.txt"],
    ["a/../..", "download"],
    ["a/.bashrc", "bashrc"],
    ["a/b?c=d e&f", "b_c_d_e_f"],
    ["a/\u202Egnp.exe", "_gnp.exe"],
    ["a/", "download"],
    ["", "download"],
    [5, "download"],
  ])("names the file of %j %j", (uri, name) => {
    expect(toFiles([file({ uri, text: "a" })])[0]!.name).toBe(name);
  });
});
