//! The texts as a whole. Other tests, with engines, check that they give the same rows.

mod comparison;

use expect_test::expect;

use super::*;
use crate::comparison::Per;
use crate::condition::{Operator, Term};

fn asked(dialect: Dialect) -> Asked {
    Asked { dialect, lake: "/var/lake/".parse().unwrap() }
}

fn condition(text: &str) -> Condition {
    Condition::parse(text).unwrap()
}

#[test]
fn a_slice_for_duckdb() {
    let text = asked(Dialect::Duckdb).slice(&condition("release=1.10 and page!=/cart"));
    expect![[r#"
        -- Proflens: the query slice for DuckDB.
        -- Run proflens-fleet compact on the lake before: a session in several shards counts several times.
        with sessions as (
          select *
          from (
            select
              session, samples, total_ns, active_ns, page,
              "date" as lake_date,
              "release" as lake_release
            from read_parquet('/var/lake/sessions/date=*/release=*/*.parquet', hive_partitioning = true, hive_types = {'date': varchar, 'release': varchar})
          ) as rows_of_sessions
          where lake_release = '1.10'
            and (page <> '/cart' or page is null)
        ),
        stacks as (
          select *
          from (
            select
              session, stack, ns, samples,
              "date" as lake_date,
              "release" as lake_release
            from read_parquet('/var/lake/stacks/date=*/release=*/*.parquet', hive_partitioning = true, hive_types = {'date': varchar, 'release': varchar})
          ) as rows_of_stacks
          where lake_release = '1.10'
            and (session, lake_date, lake_release) in (select session, lake_date, lake_release from sessions)
        ),
        costs as (
          select *
          from (
            select
              session, definition, self_ns, total_ns, self_samples, total_samples, self_bucket, total_bucket,
              "date" as lake_date,
              "release" as lake_release
            from read_parquet('/var/lake/costs/date=*/release=*/*.parquet', hive_partitioning = true, hive_types = {'date': varchar, 'release': varchar})
          ) as rows_of_costs
          where lake_release = '1.10'
            and (session, lake_date, lake_release) in (select session, lake_date, lake_release from sessions)
        ),
        summed as (
          select
            cast(0 as bigint) as kind,
            cast(0 as bigint) as id,
            cast(0 as bigint) as bucket,
            cast(sum(sessions.active_ns) as bigint) as self_ns,
            cast(sum(sessions.total_ns) as bigint) as total_ns,
            cast(sum(sessions.samples) as bigint) as samples,
            cast(count(*) as bigint) as sessions
          from sessions
          having count(*) > 0
          union all
          select
            cast(1 as bigint) as kind,
            cast(stacks.stack as bigint) as id,
            cast(0 as bigint) as bucket,
            cast(0 as bigint) as self_ns,
            cast(sum(stacks.ns) as bigint) as total_ns,
            cast(sum(stacks.samples) as bigint) as samples,
            cast(count(*) as bigint) as sessions
          from stacks
          group by stacks.stack
          union all
          select
            cast(2 as bigint) as kind,
            cast(costs.definition as bigint) as id,
            cast(costs.total_bucket as bigint) as bucket,
            cast(sum(costs.self_ns) as bigint) as self_ns,
            cast(sum(costs.total_ns) as bigint) as total_ns,
            cast(sum(costs.total_samples) as bigint) as samples,
            cast(count(*) as bigint) as sessions
          from costs
          group by costs.definition, costs.total_bucket
          union all
          select
            cast(3 as bigint) as kind,
            cast(costs.definition as bigint) as id,
            cast(costs.self_bucket as bigint) as bucket,
            cast(sum(costs.self_ns) as bigint) as self_ns,
            cast(sum(costs.total_ns) as bigint) as total_ns,
            cast(sum(costs.self_samples) as bigint) as samples,
            cast(count(*) as bigint) as sessions
          from costs
          group by costs.definition, costs.self_bucket
        )
        select kind, id, bucket, self_ns, total_ns, samples, sessions
        from summed
        order by kind, id, bucket
    "#]].assert_eq(&text);
}

#[test]
fn costs_for_spark() {
    let text = asked(Dialect::Spark).costs(&condition("release=1.10 and user=u1"));
    expect![[r#"
        -- Proflens: the query costs for Spark SQL.
        -- Run proflens-fleet compact on the lake before: a session in several shards counts several times.
        with sessions as (
          select *
          from (
            select
              session, samples, total_ns, active_ns, `user`,
              substring_index(substring_index(_metadata.file_path, '/date=', -1), '/', 1) as lake_date,
              substring_index(substring_index(_metadata.file_path, '/release=', -1), '/', 1) as lake_release
            from parquet.`/var/lake/sessions`
          ) as rows_of_sessions
          where lake_release = '1.10'
            and `user` = 'u1'
        ),
        costs as (
          select *
          from (
            select
              session, definition, self_ns, total_ns, self_samples, total_samples, self_bucket, total_bucket,
              substring_index(substring_index(_metadata.file_path, '/date=', -1), '/', 1) as lake_date,
              substring_index(substring_index(_metadata.file_path, '/release=', -1), '/', 1) as lake_release
            from parquet.`/var/lake/costs`
          ) as rows_of_costs
          where lake_release = '1.10'
            and (session, lake_date, lake_release) in (select session, lake_date, lake_release from sessions)
        ),
        summed as (
          select
            cast(costs.definition as bigint) as definition,
            cast(sum(costs.self_ns) as bigint) as self_ns,
            cast(sum(costs.total_ns) as bigint) as total_ns,
            cast(sum(costs.self_samples) as bigint) as self_samples,
            cast(sum(costs.total_samples) as bigint) as total_samples,
            cast(count(*) as bigint) as sessions
          from costs
          group by costs.definition
        )
        select definition, self_ns, total_ns, self_samples, total_samples, sessions
        from summed
        order by definition
    "#]]
    .assert_eq(&text);
}

#[test]
fn costs_for_clickhouse() {
    let text = asked(Dialect::Clickhouse).costs(&condition("date>=2026-11-20 and user=u1"));
    expect![[r#"
        -- Proflens: the query costs for ClickHouse.
        -- Run proflens-fleet compact on the lake before: a session in several shards counts several times.
        with sessions as (
          select *
          from (
            select
              session, samples, total_ns, active_ns, `user`,
              extract(_path, '.*/date=([^/]*)/') as lake_date,
              extract(_path, '.*/release=([^/]*)/') as lake_release
            from file('/var/lake/sessions/date=*/release=*/*.parquet', Parquet, 'date String, release String, session Int64, received_ms Int64, page Nullable(String), device Nullable(String), country Nullable(String), user Nullable(String), samples Int64, total_ns Int64, active_ns Int64, idle_ns Int64, no_stack_ns Int64, program_ns Int64, gc_ns Int64, native_ns Int64, unsampled_ns Int64, unknown_ns Int64')
          ) as rows_of_sessions
          where lake_date >= '2026-11-20'
            and `user` = 'u1'
        ),
        costs as (
          select *
          from (
            select
              session, definition, self_ns, total_ns, self_samples, total_samples, self_bucket, total_bucket,
              extract(_path, '.*/date=([^/]*)/') as lake_date,
              extract(_path, '.*/release=([^/]*)/') as lake_release
            from file('/var/lake/costs/date=*/release=*/*.parquet', Parquet, 'date String, release String, session Int64, definition Int64, self_ns Int64, total_ns Int64, self_samples Int64, total_samples Int64, self_bucket Int64, total_bucket Int64')
          ) as rows_of_costs
          where lake_date >= '2026-11-20'
            and (session, lake_date, lake_release) in (select session, lake_date, lake_release from sessions)
        ),
        summed as (
          select
            cast(costs.definition as bigint) as definition,
            cast(sum(costs.self_ns) as bigint) as self_ns,
            cast(sum(costs.total_ns) as bigint) as total_ns,
            cast(sum(costs.self_samples) as bigint) as self_samples,
            cast(sum(costs.total_samples) as bigint) as total_samples,
            cast(count(*) as bigint) as sessions
          from costs
          group by costs.definition
        )
        select definition, self_ns, total_ns, self_samples, total_samples, sessions
        from summed
        order by definition
    "#]].assert_eq(&text);
}

#[test]
fn values_stay_values() {
    let values = [
        "/cart?x=1",
        "/warenkörbe/日本",
        "a -- b",
        "'; drop table sessions; --",
        r"\",
        r#"it's "x""#,
        "${env:HOME}",
        "{name:String}",
        "a\nb",
        "",
    ];
    let mut all = String::new();
    for value in values {
        let _ = writeln!(all, "{value:?}");
        for dialect in [Dialect::Spark, Dialect::Clickhouse, Dialect::Duckdb] {
            let term = Term { column: Column::Page, operator: Operator::NotEqual, value: value.to_owned() };
            let _ = writeln!(all, "  {}", dialect.term(&term));
        }
    }
    expect![[r#"
        "/cart?x=1"
          (page <> decode(unhex('2f636172743f783d31'), 'UTF-8') or page is null)
          (page <> unhex('2f636172743f783d31') or page is null)
          (page <> decode(unhex('2f636172743f783d31')) or page is null)
        "/warenkörbe/日本"
          (page <> '/warenkörbe/日本' or page is null)
          (page <> '/warenkörbe/日本' or page is null)
          (page <> '/warenkörbe/日本' or page is null)
        "a -- b"
          (page <> 'a -- b' or page is null)
          (page <> 'a -- b' or page is null)
          (page <> 'a -- b' or page is null)
        "'; drop table sessions; --"
          (page <> decode(unhex('273b2064726f70207461626c652073657373696f6e733b202d2d'), 'UTF-8') or page is null)
          (page <> unhex('273b2064726f70207461626c652073657373696f6e733b202d2d') or page is null)
          (page <> decode(unhex('273b2064726f70207461626c652073657373696f6e733b202d2d')) or page is null)
        "\\"
          (page <> decode(unhex('5c'), 'UTF-8') or page is null)
          (page <> unhex('5c') or page is null)
          (page <> decode(unhex('5c')) or page is null)
        "it's \"x\""
          (page <> decode(unhex('6974277320227822'), 'UTF-8') or page is null)
          (page <> unhex('6974277320227822') or page is null)
          (page <> decode(unhex('6974277320227822')) or page is null)
        "${env:HOME}"
          (page <> decode(unhex('247b656e763a484f4d457d'), 'UTF-8') or page is null)
          (page <> unhex('247b656e763a484f4d457d') or page is null)
          (page <> decode(unhex('247b656e763a484f4d457d')) or page is null)
        "{name:String}"
          (page <> decode(unhex('7b6e616d653a537472696e677d'), 'UTF-8') or page is null)
          (page <> unhex('7b6e616d653a537472696e677d') or page is null)
          (page <> decode(unhex('7b6e616d653a537472696e677d')) or page is null)
        "a\nb"
          (page <> decode(unhex('610a62'), 'UTF-8') or page is null)
          (page <> unhex('610a62') or page is null)
          (page <> decode(unhex('610a62')) or page is null)
        ""
          (page <> '' or page is null)
          (page <> '' or page is null)
          (page <> '' or page is null)
    "#]].assert_eq(&all);
}

#[test]
fn lakes_are_plain_paths() {
    let rows = [
        ("/var/lake/", Ok("parquet.`/var/lake/costs`")),
        ("s3://bucket/my lake", Ok("parquet.`s3://bucket/my lake/costs`")),
        ("/", Ok("parquet.`/costs`")),
        ("", Err("The path of the lake is empty. Name its folder.")),
        (
            "/a'b",
            Err(
                "The path \"/a'b\" has a '\\'', which engines do not take as it is. Give the lake another path, or a link to it.",
            ),
        ),
        (
            "/a*",
            Err(
                "The path \"/a*\" has a '*', which engines do not take as it is. Give the lake another path, or a link to it.",
            ),
        ),
    ];
    for (path, expected) in rows {
        let files = path.parse().map(|it: LakePath| Dialect::Spark.files(&it, &COSTS));
        let files = files.map_err(|problem| problem.to_string());
        assert_eq!(files.as_deref().map_err(String::as_str), expected, "{path}");
    }
}
