/** Tests a server of the oldest revision, with a real database. */
import { postgresStdio } from "@plugboard/testkit/third-party-servers";
import { startPostgres } from "@plugboard/testkit/programs/postgres";
import type { Postgres } from "@plugboard/testkit/programs/postgres";
import { waitUntilDead } from "@plugboard/testkit/process-alive";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toolCallOp, openThirdParty, contentText } from "./open-third-party.ts";
import type { ThirdPartyServer } from "./open-third-party.ts";

describe("server-postgres", { meta: { covers: ["R0.1", "R3.89"] } }, () => {
  let database: Postgres;
  let postgres: ThirdPartyServer;
  beforeAll(async () => {
    database = await startPostgres();
    database.run(`
      create table people (id serial primary key, name text not null, born date);
      create table plugs ("kind" varchar(20), volts integer);
      insert into people (name, born) values ('Ada', '1815-12-10'), ('Grüße 🔌', null);
    `);
    postgres = await openThirdParty({
      transport: "stdio",
      ...postgresStdio(database.url),
      cwd: process.cwd(),
      env: {},
    });
  });
  afterAll(async () => {
    await postgres?.close();
    await database?.close();
  });

  const query = (sql: string) => toolCallOp("query", { sql });
  const rows = async (sql: string) => JSON.parse(contentText(await postgres.result(query(sql)))) as unknown;

  it("negotiates revision 2024-11-05", () => {
    expect(postgres.session).toMatchObject({ era: "legacy", version: "2024-11-05" });
    expect(postgres.session.serverInfo).toMatchObject({
      name: "example-servers/postgres",
      capabilities: { tools: true, resources: true, prompts: false, logging: false, subscribe: false },
    });
    expect(postgres.connection.catalog).toMatchObject({ tools: [{ name: "query" }], dropped: [] });
  });

  it("lists its tables and reads their schemas", async () => {
    const { resources } = await postgres.result({ method: "resources/list", params: {} });
    const listed = resources as { readonly uri: string; readonly name: string }[];
    expect(listed.map(({ name }) => name).toSorted()).toEqual(['"people" database schema', '"plugs" database schema']);
    const { uri } = listed.find(({ name }) => name.includes("plugs"))!;
    const { contents } = await postgres.result({ method: "resources/read", params: { uri } });
    const [{ text }] = contents as [{ text: string }];
    expect(new Set(JSON.parse(text))).toEqual(
      new Set([
        { column_name: "kind", data_type: "character varying" },
        { column_name: "volts", data_type: "integer" },
      ]),
    );
  });

  it("rejects a request that the server does not support with NOT_OFFERED", async () => {
    expect(await postgres.failure({ method: "prompts/list", params: {} })).toMatchObject({ code: "NOT_OFFERED" });
  });

  it("runs a query", async () => {
    expect(await rows("select id, name from people order by id")).toEqual([
      { id: 1, name: "Ada" },
      { id: 2, name: "Grüße 🔌" },
    ]);
  });

  it("returns a result of several megabytes", async () => {
    const [{ long }] = (await rows("select repeat('plug', 1000000) as long")) as [{ long: string }];
    expect(long).toHaveLength(4_000_000);
  });

  it.each([
    ["a missing table", "select * from nothing", 'relation "nothing" does not exist'],
    ["invalid SQL", "selectt 1", "syntax error"],
    ["a write", "insert into people (name) values ('Eve')", "read-only transaction"],
  ])("fails a query for %s with the error of the database", async (_what, sql, said) => {
    const error = await postgres.failure(query(sql));
    expect(error).toMatchObject({ code: "TOOL_EXECUTION_FAILED", cause: { message: expect.stringContaining(said) } });
    expect(await rows("select count(*)::int as people from people")).toEqual([{ people: 2 }]);
  });

  it("accepts the cancellation of a long query, and serves the next", async () => {
    const cancel = new AbortController();
    const sleeping = postgres.failure(query("select pg_sleep(30)"), { signal: cancel.signal, timeoutMs: 60_000 });
    const running = "select count(*)::int as running from pg_stat_activity where query = 'select pg_sleep(30)'";
    await expect.poll(() => rows(running), { timeout: 10_000 }).toEqual([{ running: 1 }]);
    const since = Date.now();
    cancel.abort();
    expect((await sleeping).code).toBe("CANCELLED");
    expect(Date.now() - since).toBeLessThan(5000);
    expect(await rows("select 1 as one")).toEqual([{ one: 1 }]);
  });

  it("times out a long query, and serves the next", async () => {
    const error = await postgres.failure(query("select pg_sleep(30)"), { timeoutMs: 500, maxMs: 500 });
    expect(error.code).toBe("REQUEST_TIMEOUT");
    expect(await rows("select 1 as one")).toEqual([{ one: 1 }]);
  });

  it("answers each of many concurrent queries with its own rows", async () => {
    const numbers = Array.from({ length: 50 }, (_, at) => at);
    const answers = await Promise.all(numbers.map((number) => rows(`select ${number} as number`)));
    expect(answers).toEqual(numbers.map((number) => [{ number }]));
  });

  it("is stopped although it never exits by itself", async () => {
    const { pid } = postgres.connection;
    await postgres.close();
    await waitUntilDead(pid!, 10_000);
  });
});
