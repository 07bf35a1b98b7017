import { stepProbe, INITIAL_PROBE_STATE } from "#dialect/detect-era.js";
import type { ProbeEvent, ProbeAction } from "#dialect/detect-era.js";
import type { Era, Json } from "@plugboard/contracts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

const MODERN = "2026-07-28";

const opened: ProbeEvent = { type: "opened" };
const openedAsLegacy: ProbeEvent = { type: "opened", rememberedEra: "legacy" };
const openedAsModern: ProbeEvent = { type: "opened", rememberedEra: "modern" };
const onlyLegacy: ProbeEvent = { type: "opened", rememberedEra: "modern", onlyEra: "legacy" };
const onlyModern: ProbeEvent = { type: "opened", rememberedEra: "legacy", onlyEra: "modern" };
const silence: ProbeEvent = { type: "silence" };
const exited: ProbeEvent = { type: "exited" };
const initialized: ProbeEvent = { type: "initialized" };
const initializeRefused: ProbeEvent = { type: "initialize_refused" };
const pingAnswered: ProbeEvent = { type: "ping_answered" };
const noMessage: ProbeEvent = { type: "discover_refused" };
const discovered = (...versions: unknown[]): ProbeEvent => ({ type: "discovered", versions });
const refused = (code: number, data?: Json): ProbeEvent => ({
  type: "discover_refused",
  error: { code, message: "no", ...(data !== undefined && { data }) },
});
const unsupported = (...supported: string[]) => refused(-32022, { supported, requested: MODERN });

const discover: ProbeAction = { type: "send", method: "server/discover" };
const initialize: ProbeAction = { type: "send", method: "initialize" };
const wait: ProbeAction = { type: "wait" };
const ping: ProbeAction = { type: "send", method: "ping" };
const restartAsLegacy: ProbeAction = { type: "restart", era: "legacy" };
const restartAsModern: ProbeAction = { type: "restart", era: "modern" };
const fail: ProbeAction = { type: "fail" };
const modern: ProbeAction = { type: "settle", era: "modern", version: MODERN };
const legacy: ProbeAction = { type: "settle", era: "legacy", version: "" };

type Story = [name: string, ...steps: [ProbeEvent, ProbeAction][]];

describe("stepProbe", () => {
  describe("a server whose definition names its era", () => {
    it.each<Story>([
      ["is opened as legacy", [onlyLegacy, initialize], [initialized, legacy]],
      [
        "is opened as modern, however long it is silent",
        [onlyModern, discover],
        [silence, wait],
        [discovered(MODERN), modern],
      ],
      [
        "fails if it rejects initialize",
        [onlyLegacy, initialize],
        [initializeRefused, { type: "fail", refusedEra: "legacy" }],
      ],
      [
        "fails if it rejects the probe",
        [onlyModern, discover],
        [refused(-32601), { type: "fail", refusedEra: "modern" }],
      ],
      ["fails if it exits on the probe", [onlyModern, discover], [exited, fail]],
      [
        "fails if it has only legacy revisions",
        [onlyModern, discover],
        [unsupported("2025-11-25"), { type: "fail", refusedEra: "modern" }],
      ],
    ])("%s", (_, ...steps) => expectActions(steps));
  });

  describe("a server that answers server/discover", () => {
    it.each<Story>([
      ["is modern", [opened, discover], [discovered(MODERN), modern]],
      [
        "is modern if it supports our revision among others",
        [opened, discover],
        [discovered("2099-01-01", MODERN, 7), modern],
      ],
      [
        "is modern if it rejects the probe for a missing capability",
        [opened, discover],
        [refused(-32021, { requiredCapabilities: {} }), modern],
      ],
      ["is modern if it rejects the probe for a header mismatch", [opened, discover], [refused(-32020), modern]],
      [
        "is modern if its version error lists our revision",
        [opened, discover],
        [unsupported("2099-01-01", MODERN), modern],
      ],
      [
        "fails if its version error lists only unknown revisions",
        [opened, discover],
        [unsupported("2099-01-01", "2098-01-01"), { type: "fail", offered: ["2099-01-01", "2098-01-01"] }],
      ],
      [
        "fails if it discovers only unknown revisions",
        [opened, discover],
        [discovered("2099-01-01", 7), { type: "fail", offered: ["2099-01-01"] }],
      ],
      ["fails if it names no revision", [opened, discover], [discovered(), { type: "fail", offered: [] }]],
      [
        "is legacy if its version error lists only legacy revisions",
        [opened, discover],
        [unsupported("2025-06-18"), initialize],
        [initialized, legacy],
      ],
      [
        "is legacy if it discovers only legacy revisions",
        [opened, discover],
        [discovered("2025-11-25"), initialize],
        [initialized, legacy],
      ],
    ])("%s", (_, ...steps) => expectActions(steps));
  });

  describe("server that rejects the probe", () => {
    it.each<[string, ProbeEvent]>([
      ["method not found", refused(-32601)],
      ["invalid params", refused(-32602)],
      ["invalid request", refused(-32600)],
      ["a code of its own", refused(-32000)],
      ["a positive code", refused(400)],
      ["an unsupported version without supported ones", refused(-32022)],
      ["an unsupported version with data of another shape", refused(-32022, ["2025-06-18"])],
      ["an unsupported version with null as data", refused(-32022, null)],
      ["an unsupported version whose list is no array", refused(-32022, { supported: MODERN })],
      ["an answer that is no message", noMessage],
    ])("gets the legacy handshake after %s", (_, refusal) => {
      expectActions([
        [opened, discover],
        [refusal, initialize],
        [initialized, legacy],
      ]);
      expectActions([
        [opened, discover],
        [refusal, initialize],
        [initializeRefused, fail],
      ]);
    });
  });

  describe("silent server that gets both handshakes", () => {
    const asked: [ProbeEvent, ProbeAction][] = [
      [opened, discover],
      [silence, initialize],
    ];

    it.each<Story>([
      ["is legacy if it rejects the probe and then initializes", [refused(-32601), wait], [initialized, legacy]],
      ["is legacy if it initializes and then rejects the probe", [initialized, ping], [refused(-32601), legacy]],
      [
        "is legacy if it initializes and answers a ping, but not the probe",
        [initialized, ping],
        [pingAnswered, legacy],
      ],
      ["is legacy if it initializes and answers nothing else", [initialized, ping], [silence, legacy]],
      ["is legacy if it initializes and discovers no modern revision", [initialized, ping], [discovered("x"), legacy]],
      [
        "is restarted as modern if it answers the probe and then initializes",
        [discovered(MODERN), wait],
        [initialized, restartAsModern],
        [openedAsModern, discover],
        [discovered(MODERN), modern],
      ],
      [
        "is restarted as modern if it initializes and answers the probe before the ping",
        [initialized, ping],
        [discovered(MODERN), restartAsModern],
        [openedAsModern, discover],
        [silence, wait],
        [discovered(MODERN), modern],
      ],
      [
        "is restarted as modern if it rejects the probe with a modern error",
        [refused(-32021), wait],
        [initialized, restartAsModern],
      ],
      [
        "fails if it exits after it was restarted as modern",
        [discovered(MODERN), wait],
        [initialized, restartAsModern],
        [openedAsModern, discover],
        [exited, fail],
      ],
      [
        "is modern if it answers the probe and then rejects initialize",
        [discovered(MODERN), wait],
        [initializeRefused, modern],
      ],
      [
        "is modern if it rejects initialize and then answers the probe",
        [initializeRefused, wait],
        [discovered(MODERN), modern],
      ],
      ["is modern if it answers the probe and never answers initialize", [discovered(MODERN), wait], [silence, modern]],
      [
        "gets no further request while it stays silent",
        [silence, wait],
        [silence, wait],
        [refused(-32601), wait],
        [initialized, legacy],
      ],
      ["fails if it rejects the probe and then initialize", [refused(-32601), wait], [initializeRefused, fail]],
      ["fails if it rejects initialize and then the probe", [initializeRefused, wait], [refused(-32601), fail]],
    ])("%s", (_, ...steps) => expectActions([...asked, ...steps]));
  });

  it("detects a dual-era server as modern at any speed and in any order of its answers", () => {
    fc.assert(
      fc.property(fc.nat(5), fc.boolean(), (silences, inOrder) => {
        const both = inOrder ? [discovered(MODERN), initialized] : [initialized, discovered(MODERN)];
        const quiet = Array.from({ length: silences }, () => silence);
        let [state, action] = stepProbe(INITIAL_PROBE_STATE, opened);
        for (const event of silences === 0 ? [discovered(MODERN)] : [...quiet, ...both])
          [state, action] = stepProbe(state, event);
        if (action.type === "restart") {
          [state] = stepProbe(state, { type: "opened", rememberedEra: action.era });
          [state, action] = stepProbe(state, discovered(MODERN));
        }
        expect(action).toEqual(modern);
      }),
    );
  });

  describe("server that exits during the probe", () => {
    it.each<Story>([
      [
        "is restarted and gets only the legacy handshake",
        [opened, discover],
        [exited, restartAsLegacy],
        [openedAsLegacy, initialize],
        [initialized, legacy],
      ],
      [
        "is restarted as legacy after it got both handshakes",
        [opened, discover],
        [silence, initialize],
        [exited, restartAsLegacy],
        [openedAsLegacy, initialize],
        [initialized, legacy],
      ],
      [
        "fails if it exits a second time after any request",
        [opened, discover],
        [exited, restartAsLegacy],
        [openedAsLegacy, initialize],
        [initializeRefused, discover],
        [exited, fail],
      ],
      [
        "fails if it exits a second time",
        [opened, discover],
        [exited, restartAsLegacy],
        [openedAsLegacy, initialize],
        [exited, fail],
      ],
      [
        "loses its earlier answers with the restart",
        [opened, discover],
        [silence, initialize],
        [discovered(MODERN), wait],
        [exited, restartAsLegacy],
        [openedAsLegacy, initialize],
        [initialized, legacy],
      ],
      ["fails at once if it got only the legacy handshake", [openedAsLegacy, initialize], [exited, fail]],
    ])("%s", (_, ...steps) => expectActions(steps));
  });

  describe("server with a remembered era", () => {
    it.each<Story>([
      ["is not probed if it is remembered as legacy", [openedAsLegacy, initialize], [initialized, legacy]],
      [
        "is not probed if it is remembered as legacy and silent",
        [openedAsLegacy, initialize],
        [silence, wait],
        [initialized, legacy],
      ],
      [
        "is probed if it is remembered as legacy and rejects the handshake",
        [openedAsLegacy, initialize],
        [initializeRefused, discover],
        [discovered(MODERN), modern],
      ],
      [
        "fails if it is remembered as legacy and rejects both handshakes",
        [openedAsLegacy, initialize],
        [initializeRefused, discover],
        [refused(-32601), fail],
      ],
      [
        "gets no legacy handshake if it is remembered as modern and silent",
        [openedAsModern, discover],
        [silence, wait],
        [silence, wait],
        [discovered(MODERN), modern],
      ],
      [
        "gets the legacy handshake if it is remembered as modern and rejects the probe",
        [openedAsModern, discover],
        [silence, wait],
        [refused(-32601), initialize],
        [initialized, legacy],
      ],
      ["fails if it is remembered as modern and exits", [openedAsModern, discover], [exited, fail]],
    ])("%s", (_, ...steps) => expectActions(steps));
  });

  it("sends each process each request once and restarts at most once, in any order of events", () => {
    const answers = [initialized, initializeRefused, pingAnswered, noMessage, discovered(MODERN), discovered("x")];
    const refusals = [refused(-32601), refused(-32021), unsupported(MODERN), unsupported("2025-06-18"), unsupported()];
    fc.assert(
      fc.property(
        fc.constantFrom<(Era | undefined)[]>(undefined, "legacy", "modern"),
        fc.array(fc.constantFrom(silence, exited, ...answers, ...refusals)),
        (rememberedEra, events) => {
          const processes: string[][] = [[]];
          let [state, action] = stepProbe(INITIAL_PROBE_STATE, {
            type: "opened",
            ...(rememberedEra && { rememberedEra }),
          });
          for (const event of [undefined, ...events]) {
            if (event) [state, action] = stepProbe(state, event);
            if (action.type === "restart") {
              processes.push([]);
              // Opens the new process in the given era, as `open-session.ts` does.
              [state, action] = stepProbe(state, { type: "opened", rememberedEra: action.era });
            }
            if (action.type === "send") processes.at(-1)!.push(action.method);
            if (action.type === "settle" || action.type === "fail") break;
          }
          expect(processes.length).toBeLessThanOrEqual(2);
          for (const sent of processes) expect(sent).toEqual([...new Set(sent)]);
        },
      ),
      { numRuns: 3000 },
    );
  });

  it("does not modify its arguments", () => {
    const state = Object.freeze({ ...INITIAL_PROBE_STATE });
    for (const [event] of [[opened], [silence], [initializeRefused], [exited]] as const)
      stepProbe(state, Object.freeze({ ...event }));
    expect(state).toEqual(INITIAL_PROBE_STATE);
  });

  /** Checks that each event leads to the action beside it. */
  function expectActions(steps: readonly [ProbeEvent, ProbeAction][]): void {
    let state = INITIAL_PROBE_STATE;
    const moves = steps.map(([event]) => {
      const [next, action] = stepProbe(state, event);
      state = next;
      return action;
    });
    expect(moves).toEqual(steps.map(([, action]) => action));
  }
});
