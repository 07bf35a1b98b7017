/** Tests that a secret that was sent, and any longer part of it, is removed from a server's text. */
import { redactEchoedSecrets } from "#oauth/net/redact-echoed-secrets.js";
import { describe, expect, it } from "vitest";

const SECRET = "abcdefghij-klmnopqrst";

describe("redactEchoedSecrets", () => {
  it.each([
    ["the whole secret", `got ${SECRET}!`, "got ***!"],
    ["the secret twice", `${SECRET} ${SECRET}`, "*** ***"],
    ["eight characters of it", "got cdefghij here", "got *** here"],
    ["its beginning at the end of the text", "got abcdefgh", "got ***"],
    ["its end at the end of the text", "got mnopqrst", "got ***"],
    ["a longer part", "got bcdefghij-klmno here", "got *** here"],
    ["two parts", "abcdefgh and mnopqrst", "*** and ***"],
  ])("removes %s", (_, text, redacted) => {
    expect(redactEchoedSecrets(text, [SECRET])).toBe(redacted);
  });

  it.each([
    ["seven characters", "got cdefghi here"],
    ["seven characters of its end, at the end of the text", "got nopqrst"],
    ["the last two characters, at the end of the text", "The grant has expired: st"],
    ["an empty text", ""],
  ])("keeps %s", (_, text) => {
    expect(redactEchoedSecrets(text, [SECRET])).toBe(text);
  });

  it("removes a secret that is encoded for a URL, and a longer secret before a secret that it contains", () => {
    expect(redactEchoedSecrets("got a%20b%2Fc", ["a b/c"])).toBe("got ***");
    expect(redactEchoedSecrets("got 12345, 123456", ["12345", "123456"])).toBe("got ***, ***");
  });

  it("removes a secret of four characters, but neither a part of it nor a shorter secret", () => {
    expect(redactEchoedSecrets("pin 1234 or 123", ["1234"])).toBe("pin *** or 123");
    expect(redactEchoedSecrets("pin 123", ["123"])).toBe("pin 123");
    expect(redactEchoedSecrets("pin 123", [])).toBe("pin 123");
  });
});
