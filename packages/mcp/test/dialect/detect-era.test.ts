import { stepProbe, INITIAL_PROBE_STATE } from "#dialect/detect-era.js";
import type { ProbeFact, ProbeAction } from "#dialect/detect-era.js";
import type { Era, Json } from "@plugboard/contracts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

const MODERN = "2026-07-28";

const opened: ProbeFact = { type: "opened" };
const openedAsLegacy: ProbeFact = { type: "opened", remembered: "legacy" };
const openedAsModern: ProbeFact = { type: "opened", remembered: "modern" };
const silence: ProbeFact = { type: "silence" };
const exited: ProbeFact = { type: "exited" };
const initialized: ProbeFact = { type: "initialized" };
const initializeRefused: ProbeFact = { type: "initialize_refused" };
const pingAnswered: ProbeFact = { type: "ping_answered" };
const noMessage: ProbeFact = { type: "discover_refused" };
const discovered = (...versions: unknown[]): ProbeFact => ({ type: "discovered", versions });
const refused = (code: number, data?: Json): ProbeFact => ({
  type: "discover_refused",
  error: { code, message: "no", ...(data !== undefined && { data }) },
});
const unsupported = (...supported: string[]) => refused(-32022, { supported, requested: MODERN });

const discover: ProbeAction = { type: "send", method: "server/discover" };
const initialize: ProbeAction = { type: "send", method: "initialize" };
const wait: ProbeAction = { type: "wait" };
const ping: ProbeAction = { type: "send", method: "ping" };
const restartAsLegacy: ProbeAction = { type: "restart", as: "legacy" };
const restartAsModern: ProbeAction = { type: "restart", as: "modern" };
const fail: ProbeAction = { type: "fail" };
const modern: ProbeAction = { type: "settle", era: "modern", version: MODERN };
const legacy: ProbeAction = { type: "settle", era: "legacy", version: "" };

type Story = [name: string, ...steps: [ProbeFact, ProbeAction][]];

describe("a server that answers the probe", () => {
  it.each<Story>([
    ["is modern", [opened, discover], [discovered(MODERN), modern]],
    ["is modern among other revisions", [opened, discover], [discovered("2099-01-01", MODERN, 7), modern]],
    [
      "is modern if it misses a capability",
      [opened, discover],
      [refused(-32021, { requiredCapabilities: {} }), modern],
    ],
    ["is modern if it misses a header", [opened, discover], [refused(-32020), modern]],
    ["is modern if it supports ours after all", [opened, discover], [unsupported("2099-01-01", MODERN), modern]],
    [
      "and offers only revisions that we do not know can't be spoken to",
      [opened, discover],
      [unsupported("2099-01-01", "2098-01-01"), { type: "fail", offered: ["2099-01-01", "2098-01-01"] }],
    ],
    [
      "and discovers only revisions that we do not know can't be spoken to",
      [opened, discover],
      [discovered("2099-01-01", 7), { type: "fail", offered: ["2099-01-01"] }],
    ],
    [
      "and names no revision at all can't be spoken to",
      [opened, discover],
      [discovered(), { type: "fail", offered: [] }],
    ],
    [
      "and supports legacy revisions only is legacy",
      [opened, discover],
      [unsupported("2025-06-18"), initialize],
      [initialized, legacy],
    ],
    [
      "and discovers legacy revisions only is legacy",
      [opened, discover],
      [discovered("2025-11-25"), initialize],
      [initialized, legacy],
    ],
  ])("%s", (_, ...steps) => tell(steps));
});

describe("a server that refuses the probe is asked in the older way, whatever the code:", () => {
  it.each<[string, ProbeFact]>([
    ["method not found", refused(-32601)],
    ["invalid params", refused(-32602)],
    ["invalid request", refused(-32600)],
    ["its own code", refused(-32000)],
    ["a positive code", refused(400)],
    ["an unsupported version without saying which it supports", refused(-32022)],
    ["an unsupported version with data of another shape", refused(-32022, ["2025-06-18"])],
    ["an unsupported version with data that is null", refused(-32022, null)],
    ["an unsupported version with a list that is none", refused(-32022, { supported: MODERN })],
    ["no message at all", noMessage],
  ])("%s", (_, refusal) => {
    tell([
      [opened, discover],
      [refusal, initialize],
      [initialized, legacy],
    ]);
    tell([
      [opened, discover],
      [refusal, initialize],
      [initializeRefused, fail],
    ]);
  });
});

describe("a silent server is asked in both ways", () => {
  const asked: [ProbeFact, ProbeAction][] = [
    [opened, discover],
    [silence, initialize],
  ];

  it.each<Story>([
    ["and is legacy if it refuses the probe and initialises", [refused(-32601), wait], [initialized, legacy]],
    ["and is legacy if it initialises and refuses the probe", [initialized, ping], [refused(-32601), legacy]],
    [
      "and is legacy if it initialises and answers a ping, but not the probe",
      [initialized, ping],
      [pingAnswered, legacy],
    ],
    ["and is legacy if it initialises and answers nothing else", [initialized, ping], [silence, legacy]],
    [
      "and is legacy if it initialises and discovers no modern revision",
      [initialized, ping],
      [discovered("x"), legacy],
    ],
    [
      "and is started once more as modern if it answers the probe and initialises",
      [discovered(MODERN), wait],
      [initialized, restartAsModern],
      [openedAsModern, discover],
      [discovered(MODERN), modern],
    ],
    [
      "and is started once more as modern if it initialises and answers the probe before the ping",
      [initialized, ping],
      [discovered(MODERN), restartAsModern],
      [openedAsModern, discover],
      [silence, wait],
      [discovered(MODERN), modern],
    ],
    [
      "and is started once more as modern if its refusal was modern",
      [refused(-32021), wait],
      [initialized, restartAsModern],
    ],
    [
      "and is given up if it ends after it was started once more as modern",
      [discovered(MODERN), wait],
      [initialized, restartAsModern],
      [openedAsModern, discover],
      [exited, fail],
    ],
    [
      "and is modern if it answers the probe and refuses the other",
      [discovered(MODERN), wait],
      [initializeRefused, modern],
    ],
    [
      "and is modern if it refuses the other and answers the probe",
      [initializeRefused, wait],
      [discovered(MODERN), modern],
    ],
    ["and is modern if it answers the probe and never the other", [discovered(MODERN), wait], [silence, modern]],
    [
      "and is not asked again however long it is silent",
      [silence, wait],
      [silence, wait],
      [refused(-32601), wait],
      [initialized, legacy],
    ],
    ["and can't be spoken to if it refuses both", [refused(-32601), wait], [initializeRefused, fail]],
    [
      "and can't be spoken to if it refuses both the other way round",
      [initializeRefused, wait],
      [refused(-32601), fail],
    ],
  ])("%s", (_, ...steps) => tell([...asked, ...steps]));
});

it("detects a dual-era server as modern, whatever its speed and the order of its answers", () => {
  fc.assert(
    fc.property(fc.nat(5), fc.boolean(), (silences, inOrder) => {
      const both = inOrder ? [discovered(MODERN), initialized] : [initialized, discovered(MODERN)];
      const quiet = Array.from({ length: silences }, () => silence);
      let [state, move] = stepProbe(INITIAL_PROBE_STATE, opened);
      for (const fact of silences === 0 ? [discovered(MODERN)] : [...quiet, ...both])
        [state, move] = stepProbe(state, fact);
      if (move.type === "restart") {
        [state] = stepProbe(state, { type: "opened", remembered: move.as });
        [state, move] = stepProbe(state, discovered(MODERN));
      }
      expect(move).toEqual(modern);
    }),
  );
});

describe("a server that ends during the probe", () => {
  it.each<Story>([
    [
      "is started once more and asked only in the older way",
      [opened, discover],
      [exited, restartAsLegacy],
      [openedAsLegacy, initialize],
      [initialized, legacy],
    ],
    [
      "is started once more after being asked both ways",
      [opened, discover],
      [silence, initialize],
      [exited, restartAsLegacy],
      [openedAsLegacy, initialize],
      [initialized, legacy],
    ],
    [
      "twice is given up, whatever it was asked the second time",
      [opened, discover],
      [exited, restartAsLegacy],
      [openedAsLegacy, initialize],
      [initializeRefused, discover],
      [exited, fail],
    ],
    ["twice is given up", [opened, discover], [exited, restartAsLegacy], [openedAsLegacy, initialize], [exited, fail]],
    [
      "has what it said before forgotten by the second start",
      [opened, discover],
      [silence, initialize],
      [discovered(MODERN), wait],
      [exited, restartAsLegacy],
      [openedAsLegacy, initialize],
      [initialized, legacy],
    ],
    ["is given up at once if only the older way was tried", [openedAsLegacy, initialize], [exited, fail]],
  ])("%s", (_, ...steps) => tell(steps));
});

describe("what is remembered", () => {
  it.each<Story>([
    ["as legacy is not probed", [openedAsLegacy, initialize], [initialized, legacy]],
    ["as legacy is not probed for being silent", [openedAsLegacy, initialize], [silence, wait], [initialized, legacy]],
    [
      "as legacy is probed when it refuses the handshake",
      [openedAsLegacy, initialize],
      [initializeRefused, discover],
      [discovered(MODERN), modern],
    ],
    [
      "as legacy is given up when it refuses both",
      [openedAsLegacy, initialize],
      [initializeRefused, discover],
      [refused(-32601), fail],
    ],
    [
      "as modern is not hurried by silence",
      [openedAsModern, discover],
      [silence, wait],
      [silence, wait],
      [discovered(MODERN), modern],
    ],
    [
      "as modern is asked in the older way when it refuses the probe",
      [openedAsModern, discover],
      [silence, wait],
      [refused(-32601), initialize],
      [initialized, legacy],
    ],
    ["as modern fails when it ends, and is not taken for legacy", [openedAsModern, discover], [exited, fail]],
  ])("%s", (_, ...steps) => tell(steps));
});

it("asks each process each thing once and starts a second process at most, whatever happens", () => {
  const answers = [initialized, initializeRefused, pingAnswered, noMessage, discovered(MODERN), discovered("x")];
  const refusals = [refused(-32601), refused(-32021), unsupported(MODERN), unsupported("2025-06-18"), unsupported()];
  fc.assert(
    fc.property(
      fc.constantFrom<(Era | undefined)[]>(undefined, "legacy", "modern"),
      fc.array(fc.constantFrom(silence, exited, ...answers, ...refusals)),
      (remembered, facts) => {
        const processes: string[][] = [[]];
        let [state, move] = stepProbe(INITIAL_PROBE_STATE, { type: "opened", ...(remembered && { remembered }) });
        for (const fact of [undefined, ...facts]) {
          if (fact) [state, move] = stepProbe(state, fact);
          if (move.type === "restart") {
            processes.push([]);
            // As `open-session.ts` does.
            [state, move] = stepProbe(state, { type: "opened", remembered: move.as });
          }
          if (move.type === "send") processes.at(-1)!.push(move.method);
          if (move.type === "settle" || move.type === "fail") break;
        }
        expect(processes.length).toBeLessThanOrEqual(2);
        for (const sent of processes) expect(sent).toEqual([...new Set(sent)]);
      },
    ),
    { numRuns: 3000 },
  );
});

it("changes nothing of what it is given", () => {
  const state = Object.freeze({ ...INITIAL_PROBE_STATE });
  for (const [fact] of [[opened], [silence], [initializeRefused], [exited]] as const)
    stepProbe(state, Object.freeze({ ...fact }));
  expect(state).toEqual(INITIAL_PROBE_STATE);
});

/** Each fact must bring the move beside it. */
function tell(steps: readonly [ProbeFact, ProbeAction][]): void {
  let state = INITIAL_PROBE_STATE;
  const moves = steps.map(([fact]) => {
    const [next, move] = stepProbe(state, fact);
    state = next;
    return move;
  });
  expect(moves).toEqual(steps.map(([, move]) => move));
}
