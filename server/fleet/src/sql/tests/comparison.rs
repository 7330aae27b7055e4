//! Comparisons, which group sessions or users into clusters.

use super::*;

#[test]
fn a_comparison_of_users_for_duckdb() {
    let sides = ["release=41", "release=42 and device=phone"].map(condition);
    expect![[r#"
        -- Proflens: the query compare for DuckDB.
        -- Run proflens-fleet compact on the lake before: a session in several shards counts several times.
        with sessions as (
          select
            0 as side, session, lake_date, lake_release, samples, active_ns,
            coalesce("user", '') as cluster_user,
            cast(case when "user" is null then session else 0 end as bigint) as cluster_session
          from (
            select *
            from (
              select
                session, samples, active_ns, "user",
                "date" as lake_date,
                "release" as lake_release
              from read_parquet('/var/lake/sessions/date=*/release=*/*.parquet', hive_partitioning = true, hive_types = {'date': varchar, 'release': varchar})
            ) as rows_of_sessions
            where lake_release = '41'
          ) as chosen
          union all
          select
            1 as side, session, lake_date, lake_release, samples, active_ns,
            coalesce("user", '') as cluster_user,
            cast(case when "user" is null then session else 0 end as bigint) as cluster_session
          from (
            select *
            from (
              select
                session, samples, active_ns, "user", device,
                "date" as lake_date,
                "release" as lake_release
              from read_parquet('/var/lake/sessions/date=*/release=*/*.parquet', hive_partitioning = true, hive_types = {'date': varchar, 'release': varchar})
            ) as rows_of_sessions
            where lake_release = '42'
              and device = 'phone'
          ) as chosen
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
          where (lake_release = '41' or lake_release = '42')
        ),
        clusters as (
          select
            side, cluster_user, cluster_session,
            cast(count(*) as bigint) as sessions,
            cast(sum(sessions.samples) as bigint) as samples,
            cast(sum(sessions.active_ns) as bigint) as active_ns,
            cast(least(count(*), 2147483647) as bigint) as work
          from sessions
          group by side, cluster_user, cluster_session
        ),
        ran as (
          select
            sessions.side as side, sessions.cluster_user as cluster_user, sessions.cluster_session as cluster_session,
            costs.definition as definition,
            cast(count(*) as bigint) as sessions,
            cast(sum(costs.self_samples) as bigint) as self_samples,
            cast(sum(costs.total_samples) as bigint) as total_samples,
            cast(sum(costs.self_ns) as bigint) as self_ns,
            cast(sum(costs.total_ns) as bigint) as total_ns
          from costs
          join sessions
            on costs.session = sessions.session
            and costs.lake_date = sessions.lake_date
            and costs.lake_release = sessions.lake_release
          group by sessions.side, sessions.cluster_user, sessions.cluster_session, costs.definition
        ),
        measured as (
          select
            ran.side as side, ran.definition as definition, ran.sessions as sessions,
            ran.self_samples as self_samples, ran.total_samples as total_samples,
            ran.self_ns as self_ns, ran.total_ns as total_ns,
            cast(least(ran.self_ns // 1000, 2147483647) as bigint) as self_us,
            cast(least(ran.total_ns // 1000, 2147483647) as bigint) as total_us,
            clusters.work as work
          from ran
          join clusters
            on ran.side = clusters.side
            and ran.cluster_user = clusters.cluster_user
            and ran.cluster_session = clusters.cluster_session
        ),
        summed as (
          select
            cast(clusters.side as bigint) as side,
            cast(0 as bigint) as definition,
            cast(count(*) as bigint) as clusters,
            cast(sum(clusters.sessions) as bigint) as sessions,
            cast(sum(clusters.samples) as bigint) as self_samples,
            cast(0 as bigint) as total_samples,
            cast(sum(clusters.active_ns) as bigint) as self_ns,
            cast(sum(clusters.work) as bigint) as total_ns,
            cast(0 as bigint) as self_sq_hi,
            cast(0 as bigint) as self_sq_lo,
            cast(sum((clusters.work * clusters.work) // 4294967296) as bigint) as total_sq_hi,
            cast(sum((clusters.work * clusters.work) % 4294967296) as bigint) as total_sq_lo,
            cast(0 as bigint) as self_work_hi,
            cast(0 as bigint) as self_work_lo,
            cast(0 as bigint) as total_work_hi,
            cast(0 as bigint) as total_work_lo
          from clusters
          group by clusters.side
          union all
          select
            cast(measured.side as bigint) as side,
            cast(measured.definition as bigint) as definition,
            cast(count(*) as bigint) as clusters,
            cast(sum(measured.sessions) as bigint) as sessions,
            cast(sum(measured.self_samples) as bigint) as self_samples,
            cast(sum(measured.total_samples) as bigint) as total_samples,
            cast(sum(measured.self_ns) as bigint) as self_ns,
            cast(sum(measured.total_ns) as bigint) as total_ns,
            cast(sum((measured.self_us * measured.self_us) // 4294967296) as bigint) as self_sq_hi,
            cast(sum((measured.self_us * measured.self_us) % 4294967296) as bigint) as self_sq_lo,
            cast(sum((measured.total_us * measured.total_us) // 4294967296) as bigint) as total_sq_hi,
            cast(sum((measured.total_us * measured.total_us) % 4294967296) as bigint) as total_sq_lo,
            cast(sum((measured.self_us * measured.work) // 4294967296) as bigint) as self_work_hi,
            cast(sum((measured.self_us * measured.work) % 4294967296) as bigint) as self_work_lo,
            cast(sum((measured.total_us * measured.work) // 4294967296) as bigint) as total_work_hi,
            cast(sum((measured.total_us * measured.work) % 4294967296) as bigint) as total_work_lo
          from measured
          group by measured.side, measured.definition
        )
        select
          side,
          definition,
          clusters,
          sessions,
          self_samples,
          total_samples,
          self_ns,
          total_ns,
          self_sq_hi,
          self_sq_lo,
          total_sq_hi,
          total_sq_lo,
          self_work_hi,
          self_work_lo,
          total_work_hi,
          total_work_lo
        from summed
        order by side, definition
    "#]].assert_eq(&asked(Dialect::Duckdb).compare(&sides, Per::Session, By::User));
}

#[test]
fn a_comparison_of_sessions_by_active_time_for_clickhouse() {
    let sides = ["release=41", "page=/cart"].map(condition);
    expect![[r#"
        -- Proflens: the query compare for ClickHouse.
        -- Run proflens-fleet compact on the lake before: a session in several shards counts several times.
        with sessions as (
          select
            0 as side, session, lake_date, lake_release, samples, active_ns,
            '' as cluster_user,
            cast(session as bigint) as cluster_session
          from (
            select *
            from (
              select
                session, samples, active_ns,
                extract(_path, '.*/date=([^/]*)/') as lake_date,
                extract(_path, '.*/release=([^/]*)/') as lake_release
              from file('/var/lake/sessions/date=*/release=*/*.parquet', Parquet, 'date String, release String, session Int64, received_ms Int64, page Nullable(String), device Nullable(String), country Nullable(String), user Nullable(String), samples Int64, total_ns Int64, active_ns Int64, idle_ns Int64, no_stack_ns Int64, program_ns Int64, gc_ns Int64, native_ns Int64, unsampled_ns Int64, unknown_ns Int64')
            ) as rows_of_sessions
            where lake_release = '41'
          ) as chosen
          union all
          select
            1 as side, session, lake_date, lake_release, samples, active_ns,
            '' as cluster_user,
            cast(session as bigint) as cluster_session
          from (
            select *
            from (
              select
                session, samples, active_ns, page,
                extract(_path, '.*/date=([^/]*)/') as lake_date,
                extract(_path, '.*/release=([^/]*)/') as lake_release
              from file('/var/lake/sessions/date=*/release=*/*.parquet', Parquet, 'date String, release String, session Int64, received_ms Int64, page Nullable(String), device Nullable(String), country Nullable(String), user Nullable(String), samples Int64, total_ns Int64, active_ns Int64, idle_ns Int64, no_stack_ns Int64, program_ns Int64, gc_ns Int64, native_ns Int64, unsampled_ns Int64, unknown_ns Int64')
            ) as rows_of_sessions
            where page = '/cart'
          ) as chosen
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
        ),
        clusters as (
          select
            side, cluster_user, cluster_session,
            cast(count(*) as bigint) as sessions,
            cast(sum(sessions.samples) as bigint) as samples,
            cast(sum(sessions.active_ns) as bigint) as active_ns,
            cast(least(cast(sum(sessions.active_ns) as bigint) div 1000, 2147483647) as bigint) as work
          from sessions
          group by side, cluster_user, cluster_session
        ),
        ran as (
          select
            sessions.side as side, sessions.cluster_user as cluster_user, sessions.cluster_session as cluster_session,
            costs.definition as definition,
            cast(count(*) as bigint) as sessions,
            cast(sum(costs.self_samples) as bigint) as self_samples,
            cast(sum(costs.total_samples) as bigint) as total_samples,
            cast(sum(costs.self_ns) as bigint) as self_ns,
            cast(sum(costs.total_ns) as bigint) as total_ns
          from costs
          join sessions
            on costs.session = sessions.session
            and costs.lake_date = sessions.lake_date
            and costs.lake_release = sessions.lake_release
          group by sessions.side, sessions.cluster_user, sessions.cluster_session, costs.definition
        ),
        measured as (
          select
            ran.side as side, ran.definition as definition, ran.sessions as sessions,
            ran.self_samples as self_samples, ran.total_samples as total_samples,
            ran.self_ns as self_ns, ran.total_ns as total_ns,
            cast(least(ran.self_ns div 1000, 2147483647) as bigint) as self_us,
            cast(least(ran.total_ns div 1000, 2147483647) as bigint) as total_us,
            clusters.work as work
          from ran
          join clusters
            on ran.side = clusters.side
            and ran.cluster_user = clusters.cluster_user
            and ran.cluster_session = clusters.cluster_session
        ),
        summed as (
          select
            cast(clusters.side as bigint) as side,
            cast(0 as bigint) as definition,
            cast(count(*) as bigint) as clusters,
            cast(sum(clusters.sessions) as bigint) as sessions,
            cast(sum(clusters.samples) as bigint) as self_samples,
            cast(0 as bigint) as total_samples,
            cast(sum(clusters.active_ns) as bigint) as self_ns,
            cast(sum(clusters.work) as bigint) as total_ns,
            cast(0 as bigint) as self_sq_hi,
            cast(0 as bigint) as self_sq_lo,
            cast(sum((clusters.work * clusters.work) div 4294967296) as bigint) as total_sq_hi,
            cast(sum((clusters.work * clusters.work) % 4294967296) as bigint) as total_sq_lo,
            cast(0 as bigint) as self_work_hi,
            cast(0 as bigint) as self_work_lo,
            cast(0 as bigint) as total_work_hi,
            cast(0 as bigint) as total_work_lo
          from clusters
          group by clusters.side
          union all
          select
            cast(measured.side as bigint) as side,
            cast(measured.definition as bigint) as definition,
            cast(count(*) as bigint) as clusters,
            cast(sum(measured.sessions) as bigint) as sessions,
            cast(sum(measured.self_samples) as bigint) as self_samples,
            cast(sum(measured.total_samples) as bigint) as total_samples,
            cast(sum(measured.self_ns) as bigint) as self_ns,
            cast(sum(measured.total_ns) as bigint) as total_ns,
            cast(sum((measured.self_us * measured.self_us) div 4294967296) as bigint) as self_sq_hi,
            cast(sum((measured.self_us * measured.self_us) % 4294967296) as bigint) as self_sq_lo,
            cast(sum((measured.total_us * measured.total_us) div 4294967296) as bigint) as total_sq_hi,
            cast(sum((measured.total_us * measured.total_us) % 4294967296) as bigint) as total_sq_lo,
            cast(sum((measured.self_us * measured.work) div 4294967296) as bigint) as self_work_hi,
            cast(sum((measured.self_us * measured.work) % 4294967296) as bigint) as self_work_lo,
            cast(sum((measured.total_us * measured.work) div 4294967296) as bigint) as total_work_hi,
            cast(sum((measured.total_us * measured.work) % 4294967296) as bigint) as total_work_lo
          from measured
          group by measured.side, measured.definition
        )
        select
          side,
          definition,
          clusters,
          sessions,
          self_samples,
          total_samples,
          self_ns,
          total_ns,
          self_sq_hi,
          self_sq_lo,
          total_sq_hi,
          total_sq_lo,
          self_work_hi,
          self_work_lo,
          total_work_hi,
          total_work_lo
        from summed
        order by side, definition
    "#]].assert_eq(&asked(Dialect::Clickhouse).compare(&sides, Per::Active, By::Session));
}
