/** Tests which gateway of the port the holder of a token gets, and how long the gateways of principals stay open. */
import { ServedGateways } from "#served-gateways.js";
import type { ServedGatewaysOptions } from "#served-gateways.js";
import type { TokenAccess } from "#auth/token-access.js";
import { OWNER } from "@plugboard/contracts";
import type { OpenWorkspace } from "@plugboard/host/internal";
import { beforeEach, describe, expect, it } from "vitest";
import { ManualClock } from "../../mcp/test/helpers/manual-clock.ts";

const MINUTE = 60_000;
const LIMIT = 500;

interface FakeWorkspace {
  readonly principal: string | undefined;
  released: boolean;
}

interface FakeGateway {
  readonly workspace: FakeWorkspace;
  busy: boolean;
  fronts: object[];
  /** The principals whose requests were ended. */
  readonly closedPrincipals: string[];
  closed: boolean;
}

let clock: ManualClock;
let opened: FakeWorkspace[];
let gateways: ServedGateways;

/** Each principal logs in itself at a server if its default is `each`. */
beforeEach(() => {
  clock = new ManualClock();
  opened = [];
  const open = (principal?: string) => {
    const workspace = {
      principal,
      released: false,
      hasOwnLogins: (byDefault: string) => byDefault === "each",
      profile: (name: string) => (name === "p" ? {} : undefined),
      start: async () => {},
    };
    opened.push(workspace);
    return workspace;
  };
  const host = {
    open: async () => open(),
    openFor: (_: unknown, { principal }: { principal: { id: string } }) => open(principal.id),
    release: async (workspace: FakeWorkspace) => void (workspace.released = true),
  };
  const makeGateway = (workspace: unknown) => {
    const gateway = {
      workspace,
      busy: false,
      fronts: [],
      closedPrincipals: [] as string[],
      closed: false,
      closePrincipal: (id: string) => void gateway.closedPrincipals.push(id),
      close: () => void (gateway.closed = true),
    };
    return gateway;
  };
  const workspace = open() as unknown as OpenWorkspace;
  const options = { host, clock, makeGateway, workspace, spec: { cwd: "/" } };
  gateways = new ServedGateways(options as unknown as ServedGatewaysOptions);
});

const subject = (id: string): TokenAccess => ({ holder: "subject", principal: { id, name: id, mayApprove: false } });
const find = async (access: TokenAccess, profile?: string) =>
  (await gateways.find(profile, access)) as unknown as FakeGateway;

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
    const owner = await find({ holder: "owner_token", principal: OWNER });
    expect(owner.workspace.principal).toBeUndefined();
    expect(await find({ ...subject("token"), holder: "client" })).toBe(owner);
  });

  it("ends what a principal had at the shared gateway when it gets its own", async () => {
    const shared = await find({ holder: "owner_token", principal: OWNER });
    await find(subject("ann"));
    expect(shared.closedPrincipals).toEqual(["ann"]);
  });

  it("closes the gateway of a principal that was unused for 15 minutes, unless a client is connected", async () => {
    const [ann, bob] = [await find(subject("ann")), await find(subject("bob"))];
    bob.fronts = [{}];
    clock.advance(15 * MINUTE);
    expect([ann.closed, ann.workspace.released, bob.closed]).toEqual([true, true, false]);
    expect(await find(subject("ann"))).not.toBe(ann);
    bob.fronts = [];
    clock.advance(15 * MINUTE);
    expect(bob.closed).toBe(true);
  });

  it("closes the gateway that was unused for the longest time at the limit, and refuses if all are in use", async () => {
    const all: FakeGateway[] = [];
    for (let n = 0; n < LIMIT; n++) all.push(await find(subject(`s${n}`)));
    await find(subject("s0"));
    await find(subject("new"));
    expect([all[0]!.closed, all[1]!.closed]).toEqual([false, true]);
    for (const gateway of all) gateway.busy = true;
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

  it("releases the workspaces of all principals at the end, and not the served one", async () => {
    await find(subject("ann"), "p");
    gateways.close();
    await gateways.release();
    expect(opened.map(({ released }) => released)).toEqual([false, true]);
  });
});
