import { spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import mysql from "mysql2/promise";
import { answering, freePort, stopped, type TestServer } from "./postgres.ts";

const nobody = 65_534;
const isRoot = process.getuid?.() === 0;
const folders = ["/usr/sbin", "/usr/bin", "/usr/local/bin", "/usr/local/sbin", "/opt/homebrew/bin"];
const found = (name: string) => folders.map((folder) => join(folder, name)).find((path) => existsSync(path));

/** Why MariaDB can't run here, in a sentence; null when it can. */
export function whyNoMariadb(): string | null {
  return found("mariadbd") && found("mariadb-install-db") ? null : "mariadbd is not installed (Debian: mariadb-server)";
}

/** Starts MariaDB with its data in a temporary folder. */
export async function startMariadb(): Promise<TestServer> {
  const home = mkdtempSync(join(tmpdir(), "blocklab-my-"));
  if (isRoot) chownSync(home, nobody, nobody);
  const runAs = isRoot ? { uid: nobody, gid: nobody } : {};
  const data = join(home, "data");
  const made = spawnSync(
    found("mariadb-install-db") as string,
    [
      "--no-defaults",
      `--datadir=${data}`,
      "--auth-root-authentication-method=normal",
      "--skip-test-db",
      `--tmpdir=${home}`,
    ],
    { ...runAs, cwd: home, encoding: "utf8" },
  );
  if (made.status !== 0) throw new Error(`mariadb-install-db failed: ${made.stderr || made.stdout}`);
  const port = await freePort();
  const child = spawn(
    found("mariadbd") as string,
    [
      "--no-defaults",
      `--datadir=${data}`,
      `--tmpdir=${home}`,
      `--socket=${join(home, "s")}`,
      `--port=${port}`,
      "--bind-address=127.0.0.1",
      `--pid-file=${join(home, "pid")}`,
      "--innodb-flush-log-at-trx-commit=0",
    ],
    { ...runAs, cwd: home, stdio: "ignore" },
  );
  const sql = async (text: string) => {
    const connection = await mysql.createConnection({
      host: "127.0.0.1",
      port,
      user: "root",
      multipleStatements: true,
    });
    await connection.query(text).finally(() => connection.end());
  };
  await answering(() => sql("SELECT 1"), child);
  const [user, password] = ["reader", "s3cret-Pässwörd"];
  await sql(
    `CREATE DATABASE shop CHARACTER SET utf8mb4; CREATE USER ${user}@'%' IDENTIFIED BY '${password}'; GRANT ALL ON shop.* TO ${user}@'%'`,
  );
  return { port, user, password, sql, stop: () => stopped(child, home, "SIGTERM") };
}
