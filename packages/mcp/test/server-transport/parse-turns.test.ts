/** Tests when large messages of clients are parsed. */
import { ParseTurns } from "#server-transport/parse-turns.js";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";

const LARGE = 1024 * 1024;

/** Lets pending promises settle. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe("ParseTurns", { meta: { covers: ["A17"] } }, () => {
  function setUp() {
    const clock = new ManualClock();
    const turns = new ParseTurns(clock);
    const parsed: string[] = [];
    const parse = async (principal: string, name: string, bytes = LARGE, tookMs = 10) =>
      turns.parse(principal, bytes, () => {
        clock.advance(tookMs);
        parsed.push(name);
        return name;
      });
    return { clock, parsed, parse };
  }

  it("parses a small message at once", () => {
    const turns = new ParseTurns(new ManualClock());
    void turns.parse("ann", LARGE, () => "large");
    expect(turns.parse("ann", 1000, () => "small")).toBe("small");
  });

  it("waits four times as long as the parsing took before the next large message of the same principal", async () => {
    const { clock, parsed, parse } = setUp();
    const all = [parse("ann", "a1"), parse("ann", "a2"), parse("ann", "a3")];
    await settle();
    expect(parsed).toEqual(["a1"]);
    clock.advance(39);
    await settle();
    expect(parsed).toEqual(["a1"]);
    clock.advance(1);
    await settle();
    expect(parsed).toEqual(["a1", "a2"]);
    clock.advance(40);
    expect(await Promise.all(all)).toEqual(["a1", "a2", "a3"]);
  });

  it("does not make one principal wait for another", async () => {
    const { parsed, parse } = setUp();
    void parse("ann", "a1");
    void parse("ann", "a2");
    expect(await parse("bob", "b1")).toBe("b1");
    expect(parsed).toEqual(["a1", "b1"]);
  });

  it("continues after a message that can't be parsed", async () => {
    const clock = new ManualClock();
    const turns = new ParseTurns(clock);
    const failing = turns.parse("ann", LARGE, () => {
      throw new Error("broken");
    });
    await expect(failing).rejects.toThrow("broken");
    expect(await turns.parse("ann", LARGE, () => "next")).toBe("next");
  });
});
