/**
 * Tests which gateway of the port the holder of a token gets, and how long the gateways of profiles and principals stay
 * open.
 */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { ServedGateways } from "#lifecycle/served-gateways.js";
import type { ServedGatewaysOptions } from "#lifecycle/served-gateways.js";
import type { TokenAccess } from "#auth/token-access.js";
import { OWNER } from "@plugboard/contracts";
import type { WorkspaceSpec } from "@plugboard/contracts";
import type { OpenWorkspace } from "@plugboard/host/workspace";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";

const MINUTE = 60_000;
const LIMIT = 500;

interface FakeWorkspace {
  readonly principal: string | undefined;
  /** The folder of the profile, if the profile has a folder of its own. */
  readonly cwd: string | undefined;
  readonly configFiles: readonly string[] | undefined;
  started: boolean;
  released: boolean;
}

interface FakeGateway {
  readonly workspace: FakeWorkspace;
  busy: boolean;
  httpSessions: number;
  fronts: object[];
  /** The principals whose requests were ended. */
  readonly closedPrincipals: string[];
  closed: boolean;
}

let clock: ManualClock;
let opened: FakeWorkspace[];
let gateways: ServedGateways;
/** The folder in the config of the profile `p`. */
let profileFolder: string | undefined;
/** True if the definition of a server says that each client logs in itself. */
let loginsApart: boolean;

/** In the fake workspaces, a principal has logins of its own if its default is `each`, or if `loginsApart` is true. */
beforeEach(() => {
  clock = new ManualClock();
  opened = [];
  profileFolder = undefined;
  loginsApart = false;
  const open = (principal?: string, { cwd, configFiles }: Partial<WorkspaceSpec> = {}) => {
    const workspace = {
      principal,
      cwd,
      configFiles,
      started: false,
      released: false,
      hasOwnLogins: (byDefault: string) => byDefault === "each" || loginsApart,
      profile: (name: string) => (name === "p" ? { cwd: profileFolder } : undefined),
      start: async () => void (workspace.started = true),
    };
    opened.push(workspace);
    return workspace;
  };
  const host = {
    open: async (spec: WorkspaceSpec) => open(undefined, spec),
    openForPrincipal: (_: unknown, { principal }: { principal: { id: string } }) => open(principal.id),
    release: async (workspace: FakeWorkspace) => void (workspace.released = true),
  };
  const makeGateway = (workspace: unknown) => {
    const gateway = {
      workspace,
      busy: false,
      httpSessions: 0,
      fronts: [],
      closedPrincipals: [] as string[],
      closed: false,
      closePrincipal: (id: string) => void gateway.closedPrincipals.push(id),
      close: () => void (gateway.closed = true),
    };
    return gateway;
  };
  const workspace = open() as unknown as OpenWorkspace;
  const options = { host, clock, makeGateway, workspace, spec: { cwd: "/", configFiles: ["more.json"] } };
  gateways = new ServedGateways(options as unknown as ServedGatewaysOptions);
});

const subject = (id: string): TokenAccess => ({ holder: "subject", principal: { id, name: id, mayApprove: false } });
const find = async (access: TokenAccess, profile?: string) =>
  (await gateways.find(profile, access)) as unknown as FakeGateway;
const owner: TokenAccess = { holder: "owner_token", principal: OWNER };

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "plugboard-profile-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

describe("ServedGateways", () => {
  it("gives a principal that logs in itself a gateway of its own for each profile", async () => {
    const ann = await find(subject("ann"));
    expect(ann.workspace.principal).toBe("ann");
    expect(await find(subject("ann"))).toBe(ann);
    expect((await find(subject("bob"))).workspace.principal).toBe("bob");
    const ofProfile = await find(subject("ann"), "p");
    expect(ofProfile).not.toBe(ann);
    expect(ofProfile.workspace.principal).toBe("ann");
  });

  it.each(["subject", "approving_subject"] as const)("counts an %s as a person who logs in itself", async (holder) => {
    expect((await find({ ...subject("ann"), holder })).workspace.principal).toBe("ann");
  });

  it("gives the owner, and principals that use the owner's login, the shared gateway", async () => {
    const shared = await find(owner);
    expect(shared.workspace.principal).toBeUndefined();
    expect(await find({ ...subject("token"), holder: "client" })).toBe(shared);
  });

  it("gives each client except the owner a started gateway of its own if each client logs in itself at a server", async () => {
    loginsApart = true;
    expect((await find(owner)).workspace.principal).toBeUndefined();
    const client = await find({ ...subject("token"), holder: "client" });
    expect(client.workspace).toMatchObject({ principal: "token", started: true });
  });

  it("ends the requests of a principal at the shared gateway when the principal gets its own gateway", async () => {
    const shared = await find(owner);
    await find(subject("ann"));
    expect(shared.closedPrincipals).toEqual(["ann"]);
  });

  it("returns the same gateway of a profile each time, and none for an unknown profile", async () => {
    const profile = await find(owner, "p");
    expect(await find(owner, "p")).toBe(profile);
    expect(profile).not.toBe(await find(owner));
    expect(profile.workspace).toBe(opened[0]);
    expect(await find(owner, "unknown")).toBeUndefined();
  });

  it("opens and starts the workspace of a profile's folder, and closes it with its principals when the folder changes", async () => {
    profileFolder = await makeFolder();
    const [before, ann] = [await find(owner, "p"), await find(subject("ann"), "p")];
    expect(before.workspace).toMatchObject({ cwd: profileFolder, configFiles: ["/more.json"], started: true });
    profileFolder = await makeFolder();
    const after = await find(owner, "p");
    expect(after.workspace).toMatchObject({ cwd: profileFolder, released: false });
    for (const gone of [before, ann]) expect([gone.closed, gone.workspace.released]).toEqual([true, true]);
    const annAfter = await find(subject("ann"), "p");
    expect(annAfter).not.toBe(ann);
    expect([after.closed, annAfter.closed]).toEqual([false, false]);
  });

  it("reads ~ in a profile's folder as the home folder", async () => {
    profileFolder = "~";
    expect((await find(owner, "p")).workspace.cwd).toBe(homedir());
    profileFolder = "~/no-such-folder";
    const named = expect.stringContaining(join(homedir(), "no-such-folder")) as string;
    await expect(find(owner, "p")).rejects.toMatchObject({ details: { subject: named } });
  });

  it("throws NOT_FOUND while the folder of a profile is missing, and opens it once it exists", async () => {
    const folder = await makeFolder();
    profileFolder = join(folder, "missing");
    await expect(find(owner, "p")).rejects.toMatchObject({ code: "NOT_FOUND" });
    await mkdir(profileFolder);
    expect((await find(owner, "p")).workspace.cwd).toBe(profileFolder);
  });

  it("counts the busy clients, the sessions and the fronts of open gateways only", async () => {
    const ann = await find(subject("ann"));
    ann.fronts = [{ name: "Cursor" }];
    ann.httpSessions = 2;
    expect([gateways.busy, gateways.httpSessions, gateways.fronts]).toEqual([false, 2, ann.fronts]);
    ann.busy = true;
    expect(gateways.busy).toBe(true);
    await gateways.releasePrincipal("ann");
    expect([gateways.busy, gateways.httpSessions, gateways.fronts]).toEqual([false, 0, []]);
  });

  it("closes the gateway of a principal that was unused for 15 minutes, unless a client is connected", async () => {
    const [ann, bob] = [await find(subject("ann")), await find(subject("bob"))];
    bob.fronts = [{}];
    expect([clock.pendingTimers, clock.foregroundTimers]).toEqual([1, 0]);
    clock.advance(15 * MINUTE);
    expect([ann.closed, ann.workspace.released, bob.closed]).toEqual([true, true, false]);
    bob.fronts = [];
    clock.advance(15 * MINUTE);
    expect(bob.closed).toBe(true);
    expect(clock.pendingTimers).toBe(0);
    expect(await find(subject("ann"))).not.toBe(ann);
  });

  it("closes the gateway that was unused for the longest time at the limit, and refuses if all are in use", async () => {
    const all: FakeGateway[] = [];
    for (let n = 0; n < LIMIT; n++) all.push(await find(subject(`s${n}`)));
    await find(subject("s0"));
    await find(subject("new"));
    expect([all[0]!.closed, all[1]!.closed]).toEqual([false, true]);
    expect(await find(subject("s1"))).not.toBe(all[1]);
    for (const gateway of all) gateway.busy = true;
    (await find(subject("s1"))).busy = true;
    (await find(subject("new"))).busy = true;
    await expect(find(subject("more"))).rejects.toMatchObject({ code: "TOO_MANY_REQUESTS" });
  });

  it("closes all gateways of a revoked principal, and of no other", async () => {
    const ann = [await find(subject("ann")), await find(subject("ann"), "p")];
    const bob = await find(subject("bob"));
    await gateways.releasePrincipal("ann");
    expect(ann.map(({ closed }) => closed)).toEqual([true, true]);
    expect(bob.closed).toBe(false);
  });

  it("closes all gateways at the end, and releases all workspaces except the served one", async () => {
    const all = [await find(owner), await find(subject("bob"))];
    profileFolder = await makeFolder();
    all.push(await find(owner, "p"), await find(subject("ann"), "p"));
    gateways.close();
    expect(all.map(({ closed }) => closed)).toEqual([true, true, true, true]);
    await gateways.release();
    expect(opened.map(({ released }) => released)).toEqual([false, true, true, true]);
    expect(clock.pendingTimers).toBe(0);
  });

  it("closes a gateway that is requested after ServedGateways was closed", async () => {
    gateways.close();
    expect((await find(subject("ann"))).closed).toBe(true);
  });
});
