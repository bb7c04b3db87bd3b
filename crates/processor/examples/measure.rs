use std::path::Path;
fn read(folder: &str) -> Vec<(String, String)> {
    let mut files: Vec<_> = std::fs::read_dir(Path::new(folder))
        .unwrap()
        .map(|f| f.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "toml"))
        .collect();
    files.sort();
    files
        .iter()
        .map(|p| (p.file_stem().unwrap().to_string_lossy().into_owned(), std::fs::read_to_string(p).unwrap()))
        .collect()
}
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let base = "/tmp/wt-SCHED/python/cipherassay";
    let (isas, processors) = (read(&format!("{base}/isas")), read(&format!("{base}/processors")));
    let p = processor::model::load(&isas, &processors, &args[1], &[]).unwrap_or_else(|e| panic!("{e:?}"));
    let restarts: u32 = args[2].parse().unwrap();
    for file in &args[3..] {
        let (file, function) = file.split_once(':').unwrap();
        let text = std::fs::read_to_string(file).unwrap();
        let program = program::text::parse(&text).unwrap_or_else(|e| panic!("{e:?}"));
        let code = match processor::select::select(&program, function, &p, &Default::default()) {
            Ok(c) => c,
            Err(e) => {
                println!("{file} {function}: {} {} {:?}", e.code, e.message, e.notes);
                continue;
            }
        };
        for region in 0..code.regions.len() {
            let t = std::time::Instant::now();
            let g = processor::dependences::graph(&code, region, &p);
            let built = t.elapsed();
            processor::bounds::verify(&g, &p.resources).unwrap();
            let out = processor::schedule::list(&g, &p.resources, &processor::schedule::List { restarts, seed: 1 });
            processor::check::check_ports(&g, &p, &out.schedule).unwrap();
            let values = processor::dependences::lifetimes(&code, region, &p);
            let short = processor::schedule::lifetimes::shortened(&g, &p.resources, &out.schedule, &values, None);
            println!("{file} {function} {} region {region}: ops {} critical {} bound {} {:?} list {} restarts {} pressure {} -> {} graph {built:?} all {:?} | {}", args[1], g.classes.len(), processor::bounds::critical_path(&g).cycles, out.bound.cycles, out.bound.kind, out.schedule.length(), out.restarts, processor::schedule::lifetimes::pressure(&out.schedule, &values, 0), processor::schedule::lifetimes::pressure(&short, &values, 0), t.elapsed(), out.bound.why);
            if let Ok(dir) = std::env::var("DUMP") {
                let name = Path::new(file).file_stem().unwrap().to_string_lossy().into_owned();
                std::fs::write(format!("{dir}/{name}-{function}-{}-{region}.json", args[1]), serde_json::to_string(&serde_json::json!({"graph": g, "resources": p.resources, "schedule": out.schedule, "bound": out.bound})).unwrap()).unwrap();
            }
        }
    }
}
