import { expect, test } from 'vitest';
import { redactedText } from '../src/report/redact.ts';

// Put together here, so that no scanner takes this file for a leak.
const letters = (n: number): string => 'pLaNt3d9Qz7'.repeat(10).slice(0, n);

/** Lines as programs print them, each with a secret: `planted-x`, or the word beside it. */
const lines: readonly (readonly [line: string, secret?: string])[] = [
  // Variables and settings.
  ['DB_PASS=planted-x'],
  ['export SECRET_KEY_BASE=planted-x'],
  ['Server=db;Uid=app;Pwd=planted-x;Database=shop'],
  ['DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=planted-x==;EndpointSuffix=core.windows.net'],
  ['+ PGPASSWORD=planted-x psql -h db'],
  ['spring.datasource.password = planted-x'],
  ['ssl.keystore.password=planted-x'],
  ['RAILS_MASTER_KEY: planted-x'],
  ['password: planted-x and planted-y'],
  ["config: {'user': 'app', 'pwd': 'planted-x', 'port': 1}"],
  ['{:user=>"app", :password=>"planted-x"}'],
  ["'password' => 'planted-x',"],
  ['config := {User:app Password:planted-x Port:1}'],
  ['{"name":"DB_PASS","value":"planted-x"}'],
  ['<add key="DbPassword" value="planted-x"/>'],
  ['<password>planted-x</password>'],
  [String.raw`{"msg":"{\"dbPass\":\"planted-x\"}"}`],
  [String.raw`{"password":"a\"b planted-x","user":"app"}`],
  [String.raw`password="a\"b planted-x" user=app`],
  ['\u001B[36mdb_pass\u001B[0m=planted-x'],
  // Redis and Valkey.
  ['requirepass planted-x'],
  ['>>> \'masterauth "planted-x"\''],
  ['masterauth: planted-x'],
  ['sentinel auth-pass mymaster planted-x'],
  ['1339518083.107412 [0 127.0.0.1:60866] "AUTH" "default" "planted-x"'],
  ['1339518083.107412 [0 127.0.0.1:60866] "auth" "planted-x"'],
  ['1339518087.877697 [0 127.0.0.1:60866] "config" "set" "requirepass" "planted-x"'],
  ['ACL SETUSER app on >planted-x ~* +@all'],
  ['user default on >planted-x ~* &* +@all'],
  ['redis-cli -h cache -a planted-x ping'],
  // SQL.
  ["CREATE USER 'app'@'%' IDENTIFIED BY 'planted-x'"],
  ["ALTER USER app IDENTIFIED WITH mysql_native_password BY 'planted-x'"],
  ["STATEMENT: ALTER ROLE app WITH ENCRYPTED PASSWORD 'planted-x'"],
  ["SET PASSWORD FOR app = PASSWORD('planted-x')"],
  ["primary_conninfo = 'host=a user=r password=planted-x sslmode=prefer'"],
  ['[Note] [MY-010454] A temporary password is generated for root@localhost: planted-x'],
  ["CHANGE MASTER TO MASTER_HOST='a', MASTER_USER='r', MASTER_PASSWORD='planted-x'"],
  // Commands.
  ['mysql -u root -pplanted-x shop'],
  ['+ mysqldump --all-databases -uroot -p planted-x'],
  ['exec ["mysql","-uroot","-pplanted-x"]'],
  ['["backup","--db-pass","planted-x"]'],
  ['mongodump --host a -u app -p planted-x'],
  ['sshpass -p planted-x ssh a'],
  ['curl -u app:planted-x https://store'],
  ['curl --user app:planted-x https://store'],
  ['wget --http-password=planted-x https://store'],
  ['echo planted-x | docker login --username a --password-stdin'],
  ['echo "root:planted-x" | chpasswd'],
  ['openssl enc -aes-256-cbc -pass pass:planted-x -in a'],
  // HTTP.
  ['> Cookie: session=planted-x; theme=planted-y'],
  ['Set-Cookie: JSESSIONID=planted-x; Path=/'],
  ['< X-Vault-Token: planted-x'],
  ['X-Api-Key: planted-x'],
  ["-H 'PRIVATE-TOKEN: planted-x'"],
  ['map[Accept:[*/*] Authorization:[Custom planted-x] Cookie:[a=planted-y]]'],
  ['Authorization: Digest username="a", response="planted-x"'],
  ['Proxy-Authorization: Negotiate planted-x'],
  ['GET /blob?sv=2022&sig=planted-x&se=2026'],
  ['PUT https://s3/b?X-Amz-Credential=planted-y%2F2026&X-Amz-Signature=planted-x'],
  ['GET /callback?code=planted-x&state=1'],
  ['POST https://hooks.slack.com/services/T000/B000/planted-x'],
  ['POST https://discord.com/api/webhooks/1234/planted-x'],
  // Addresses.
  ['amqp://app:p@planted-x@queue:5672/'],
  ['app:planted-x@tcp(db:3306)/shop'],
  ['connecting to app:planted-x@db:5432'],
  ['mongodb+srv://app:planted-x@db/?w=1'],
  // Sentences.
  ["password 'planted-x' is refused"],
  ['the password is planted-x'],
  ['Generated admin password: planted-x'],
  ['password for user app was set to planted-x'],
  ['login with token planted-x1 failed'],
  ['Unseal Key 1: planted-x'],
  ['Initial Root Token: planted-x'],
  // The value on the next line.
  ['Your password is:\nplanted-x'],
  ['password: |\n  planted-x\nuser: app'],
  ['Enter passphrase:\n\nplanted-x'],
  ['"password":\n  "planted-x",'],
  // Formats of services.
  [`pushed with ghp_${letters(36)}`, letters(36)],
  [`pushed with github_pat_${letters(40)}`, letters(40)],
  [`pushed with glpat-${letters(20)}`, letters(20)],
  [`pays with sk_live_${letters(24)}`, letters(24)],
  [`talks with xoxb-${letters(30)}`, letters(30)],
  [`maps of AIza${letters(35)}`, letters(35)],
  [`pulled with dckr_pat_${letters(27)}`, letters(27)],
  [`opens hvs.${letters(24)}`, letters(24)],
  [`installs with npm_${letters(36)}`, letters(36)],
  [`sent by SG.${letters(22)}.${letters(43)}`, letters(22)],
  [`signed ${letters(40)} by hand`, letters(40)],
  [`age AGE-SECRET-KEY-1${letters(58).toUpperCase()}`, letters(58).toUpperCase()],
  // Hashes, which can be guessed at.
  [`stored $2b$12$${letters(53)}`, letters(53)],
  [`stored SCRAM-SHA-256$4096:${letters(24)}$${letters(44)}`, letters(44)],
  // Keys.
  ['-----BEGIN PGP PRIVATE KEY BLOCK-----\nplanted-x\n-----END PGP PRIVATE KEY BLOCK-----'],
  ['planted-x\nplanted-y\n-----END RSA PRIVATE KEY-----\nnext'],
  ['-----BEGIN OPENSSH PRIVATE KEY-----\nplanted-x'],
];

test.each(lines)('%j has no secret any more', (line, secret = 'planted-') =>
  expect(redactedText(`first\n${line}\nlast`)).not.toContain(secret),
);

test.each([
  'Error: image registry.example/shop/cache:1.25@sha256:0123456789abcdef0123456789abcdef was not found',
  'GET /api/v1/namespaces/shop/pods?limit=500&resourceVersion=0: 200',
  'FATAL: password authentication failed for user "app"',
  'secrets "orders-tls" not found',
  'reconcile key=shop/orders took=12ms uid=0b6f3a52-1c9d-4c5e-9b0e-0123456789ab',
  '12 passed, 0 failed; the author: Ann; sessions-1: not ready; 3 tokens',
  'workqueue_depth{name="kvstoreclusters"} 3',
  'DEBUG io.example.KeyspaceManager: 12 keys, bypassed 3',
])('%s stays', (line) => expect(redactedText(line)).toBe(line));

// Where an expression tries every beginning of a long word, this does not end.
test.each([
  'pass',
  'a:',
  '//a@',
  'key ',
  'password ',
  'echo ',
  'mysql -',
  'token: ',
  '?sig',
  'aA1',
  '<pass',
  'user on ',
])('a log of nothing but %j is redacted too', (part) =>
  expect(redactedText(part.repeat((128 * 1024) / part.length)).length).toBeLessThanOrEqual(1024),
);
