/** Tests of `plugboard ui`: it starts a host if needed, and its link signs a browser in once. */
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { PAGE_SESSION_PATH } from "@plugboard/contracts";
import { freePort } from "@plugboard/testkit/free-port";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { hostInfo, oneServer, serve, stopAfterTest } from "../../helpers/hosting.ts";
import { parseOutput } from "../../helpers/json-schema.ts";
import { runPiped, runPipedProcess, setUp } from "../../helpers/run-plugboard.ts";

/** Returns the page's origin: the first connect-src of the link's document. */
async function pageOf(link: string): Promise<string> {
  const policy = (await fetch(new URL(link).origin)).headers.get("content-security-policy")!;
  return /connect-src (\S+)/.exec(policy)![1]!;
}

/** Signs in with the code of the link. Returns the status of the response. */
async function redeem(link: string): Promise<number> {
  const { hash } = new URL(link);
  const origin = await pageOf(link);
  const body = JSON.stringify({ code: hash.slice("#code=".length) });
  const response = await fetch(origin + PAGE_SESSION_PATH, { method: "POST", headers: { origin }, body });
  await response.text();
  return response.status;
}

describe("plugboard ui", () => {
  it("starts a host in the background, opens its port, and prints a link that works once", async () => {
    const setup = await setUp(oneServer());
    stopAfterTest(setup);
    const { status, stdout, stderr } = await runPipedProcess(setup, "ui", "--no-open", "--port", "0");
    expect([status, stderr]).toEqual([0, ""]);
    const link = stdout.trim();
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#code=[\w-]{43}$/);
    expect((await fetch(await pageOf(link))).headers.get("content-security-policy")).toContain("default-src 'none'");
    expect([await redeem(link), await redeem(link)]).toEqual([200, 401]);
  });

  it("leaves no host in the background when the port can't be opened", async () => {
    const setup = await setUp(oneServer());
    stopAfterTest(setup);
    const other = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void other.close());
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const { status, stdout, stderr } = await runPipedProcess(setup, "ui", "--no-open", "--port", String(port));
    expect([status, stdout]).toEqual([3, ""]);
    expect(stderr).toContain("PORT_TAKEN");
    await vi.waitFor(async () => expect(await hostInfo(setup)).toEqual({ running: false }), 10_000);
  });

  it("makes another link for a host that serves already, as the banner of serve does", async () => {
    const setup = await setUp(oneServer());
    const { stdout } = await serve(setup);
    await stdout.waitFor("Page: http", 20_000);
    const printed = /Page: (\S+)/.exec(stdout.text)![1]!;
    const { stdout: output } = await runPiped(setup, "ui", "--json");
    const { url, expiresAt, forwardedUrl } = (await parseOutput("ui", output)) as { [key: string]: string };
    expect(forwardedUrl).toBe(`${await pageOf(url!)}/${new URL(url!).hash}`);
    expect(new URL(url!).origin).toBe(new URL(printed).origin);
    expect(Number(expiresAt)).toBeGreaterThan(Date.now());
    expect([await redeem(printed), await redeem(url!)]).toEqual([200, 200]);
  });

  it.each(["SSH_CONNECTION", "SSH_TTY"])("also prints the link on the page's own port if %s is set", async (name) => {
    const setup = await setUp(oneServer());
    stopAfterTest(setup);
    const ssh = { ...setup, env: { ...setup.env, [name]: "x" } };
    const { stdout } = await serve(ssh);
    await stdout.waitFor("This link signs", 20_000);
    const ui = await runPipedProcess(ssh, "ui", "--no-open");
    for (const text of [stdout.text.replace("Page: ", ""), ui.stdout + ui.stderr]) {
      const [, url, forwarded] = /^(http\S+)\nThrough a forwarded port: (\S+)$/m.exec(text)!;
      expect(forwarded).toBe(`${await pageOf(url!)}/${new URL(url!).hash}`);
    }
    const without = await runPipedProcess(setup, "ui", "--no-open");
    expect(without.stdout + without.stderr).not.toContain("forwarded");
  });

  it("has the page at the same address after a restart of the host, and says if another port is open", async () => {
    const setup = await setUp(oneServer());
    stopAfterTest(setup);
    const [port, other] = [await freePort(), await freePort()];
    const openAt = async (number: number) => {
      const { stdout, stderr } = await runPipedProcess(setup, "ui", "--no-open", "--port", String(number));
      return { page: await pageOf(stdout.trim()), stderr };
    };
    const page = `http://127.0.0.1:${port}`;
    expect(await openAt(port)).toEqual({ page, stderr: "" });
    expect(await runPipedProcess(setup, "restart")).toMatchObject({ status: 0 });
    expect(await openAt(port)).toEqual({ page, stderr: "" });
    expect(await openAt(other)).toEqual({
      page,
      stderr: expect.stringContaining(`The port ${port} is already open`) as string,
    });
    expect(await runPipedProcess(setup, "stop")).toMatchObject({ status: 0 });
    expect(await openAt(port)).toEqual({ page, stderr: "" });
  });
});
