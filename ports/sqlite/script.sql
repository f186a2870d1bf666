-- SPDX-License-Identifier: MIT
-- Tables, indices, transactions, triggers, windows, JSON, text, numbers; on both machines the same.
PRAGMA journal_mode;
CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, price REAL, blob BLOB);
CREATE TABLE sale(item REFERENCES item, day INT, count INT CHECK(count > 0));
CREATE INDEX sale_by_day ON sale(day, item);
BEGIN;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
    INSERT INTO item SELECT i, printf('item-%05d', i * 7919 % 2003), i * 1.25 / 3,
        CAST(printf('%.*c', i % 50, 'x') AS BLOB) FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000)
    INSERT INTO sale SELECT 1 + i * 31 % 2000, i % 365, 1 + i % 9 FROM n;
COMMIT;
SELECT count(*), sum(count), min(day), max(day), avg(count) FROM sale;
SELECT name, price, length(blob) FROM item ORDER BY name LIMIT 5;
SELECT day, sum(count * price) AS worth FROM sale JOIN item ON item = id
    GROUP BY day HAVING worth > 25000 ORDER BY worth DESC, day LIMIT 5;
EXPLAIN QUERY PLAN SELECT * FROM sale WHERE day = 7 AND item > 3;
SELECT day, count, sum(count) OVER (ORDER BY day, item ROWS 2 PRECEDING),
    rank() OVER (PARTITION BY count ORDER BY day, item) FROM sale WHERE item < 5
    ORDER BY day, item;
BEGIN;
DELETE FROM sale;
SELECT count(*) FROM sale;
ROLLBACK;
SELECT count(*) FROM sale;
SAVEPOINT a; UPDATE item SET price = 0; ROLLBACK TO a; RELEASE a;
SELECT total(price) FROM item;
CREATE TABLE log(what TEXT);
CREATE TRIGGER gone AFTER DELETE ON item BEGIN INSERT INTO log VALUES('gone ' || old.name); END;
DELETE FROM item WHERE id % 500 = 0;
SELECT * FROM log ORDER BY what;
INSERT INTO item(id, name) VALUES(1, 'twice');
INSERT INTO item(name) VALUES((SELECT name FROM item WHERE id = 1));
INSERT INTO sale VALUES(1, 1, 0);
SELECT * FROM no_such_table;
SELECT json_extract('{"a":[1,{"b":"c"}]}', '$.a[1].b'), json_group_array(id) FROM item WHERE id < 4;
SELECT upper('abc'), substr('hello', -3), replace('aXbX', 'X', '--'), instr('hello', 'l'),
    quote(x'00ff'), hex('AZ'), unicode('€'), char(228, 8364), typeof(1.0), 'a' LIKE 'A',
    'abc' GLOB 'a*', printf('%.3f %e %g %5d|%-5s|', 1e0 / 3, 12345.678, 1e100, 42, 'x');
SELECT 9223372036854775807 + 1, -7 / 2, -7 % 3, 7.0 / 2, 1 << 62, ~5, 1e308 * 10, NULL IS NULL,
    CAST('12abc' AS INT), round(2.5), round(-2.345, 2), abs(-5), 0.1 + 0.2, 1e15, 123456789012345678;
SELECT date('2000-02-28', '+2 days'), strftime('%j %w %s', '2024-12-31 23:59:59'),
    julianday('2000-01-01 12:00:00');
CREATE VIEW cheap AS SELECT id, price FROM item WHERE price < 1;
SELECT count(*), max(id) FROM cheap;
ALTER TABLE log ADD COLUMN at INT DEFAULT 7;
SELECT at, count(*) FROM log GROUP BY at;
CREATE TEMP TABLE big AS SELECT a.id AS x, b.id AS y FROM item a, item b
    WHERE a.id < 60 AND b.id < 60 ORDER BY a.name, b.name DESC;
SELECT x, y FROM big LIMIT 3 OFFSET 1700;
REINDEX;
ANALYZE;
SELECT idx, stat FROM sqlite_stat1 ORDER BY idx;
VACUUM;
PRAGMA page_count;
PRAGMA freelist_count;
SELECT count(*) FROM pragma_foreign_key_check;
PRAGMA integrity_check;
