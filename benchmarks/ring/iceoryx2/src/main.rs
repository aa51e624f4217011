//! iceoryx2 between two processes, to stand beside the "processes" lines of ring_benchmark: publish-subscribe, samples
//! written and read in place, a buffer of 1024 samples, a full buffer blocks the publisher.
//!
//! Prints throughput and the median round trip for 4, 64 and 216 bytes. The second process is this program again, with
//! the arguments `source BYTES MESSAGES` or `echo BYTES MESSAGES`, pinned to core 1 by taskset; it ends when its input is
//! closed.
use iceoryx2::port::{publisher::Publisher, subscriber::Subscriber};
use iceoryx2::prelude::*;
use iceoryx2::service::port_factory::publish_subscribe::PortFactory;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

type Result<T> = core::result::Result<T, Box<dyn core::error::Error>>;
type Service = ipc::Service;

/// Every word is written by the sender and read by the receiver.
#[derive(Debug, Clone, Copy, ZeroCopySend)]
#[repr(C)]
struct Message<const WORDS: usize> {
    words: [u32; WORDS],
}

fn service<const WORDS: usize>(node: &Node<Service>, way: &str) -> Result<PortFactory<Service, Message<WORDS>, ()>> {
    let name = format!("laxity-{way}-{WORDS}");
    Ok(node
        .service_builder(&name.as_str().try_into()?)
        .publish_subscribe::<Message<WORDS>>()
        .enable_safe_overflow(false)
        .subscriber_max_buffer_size(1024)
        .open_or_create()?)
}

fn publisher<const WORDS: usize>(node: &Node<Service>, way: &str) -> Result<Publisher<Service, Message<WORDS>, ()>> {
    let strategy = UnableToDeliverStrategy::Block;
    Ok(service(node, way)?.publisher_builder().unable_to_deliver_strategy(strategy).create()?)
}

fn subscriber<const WORDS: usize>(node: &Node<Service>, way: &str) -> Result<Subscriber<Service, Message<WORDS>, ()>> {
    Ok(service(node, way)?.subscriber_builder().buffer_size(1024).create()?)
}

fn send<const WORDS: usize>(to: &Publisher<Service, Message<WORDS>, ()>, value: u32) -> Result<()> {
    to.loan_uninit()?.write_payload(Message { words: [value; WORDS] }).send()?;
    Ok(())
}

fn receive<const WORDS: usize>(from: &Subscriber<Service, Message<WORDS>, ()>) -> Result<u32> {
    loop {
        if let Some(sample) = from.receive()? {
            return Ok(sample.words.iter().fold(0, |sum, word| sum.wrapping_add(*word)));
        }
        core::hint::spin_loop();
    }
}

fn start(role: &str, bytes: usize, messages: usize) -> Result<Child> {
    let program = std::env::current_exe()?;
    let numbers = [bytes.to_string(), messages.to_string()];
    let mut command = Command::new("taskset");
    command.args(["-c", "1"]).arg(program).arg(role).args(numbers);
    Ok(command.stdin(Stdio::piped()).spawn()?)
}

fn stop(mut child: Child) -> Result<()> {
    drop(child.stdin.take());
    child.wait()?;
    Ok(())
}

/// In the second process: until the first one closes our input.
fn wait_for_the_end() -> Result<()> {
    std::io::read_to_string(std::io::stdin())?;
    Ok(())
}

/// The second process: sends `messages` messages, or answers as many, and waits for the end.
fn second<const WORDS: usize>(role: &str, messages: usize) -> Result<()> {
    let node = NodeBuilder::new().create::<Service>()?;
    if role == "source" {
        let out = publisher::<WORDS>(&node, "out")?;
        for value in 0..messages {
            send(&out, value as u32)?;
        }
        wait_for_the_end()?;
    } else {
        let out = subscriber::<WORDS>(&node, "out")?;
        let back = publisher::<WORDS>(&node, "back")?;
        send(&back, 0)?; // ready
        for _ in 0..messages {
            send(&back, receive(&out)?)?;
        }
        wait_for_the_end()?;
    }
    Ok(())
}

/// Millions of messages per second; the first tenth is not counted.
fn throughput<const WORDS: usize>(node: &Node<Service>, messages: usize) -> Result<f64> {
    let out = subscriber::<WORDS>(node, "out")?;
    let child = start("source", WORDS * 4, messages)?;
    let warm_up = messages / 10;
    for _ in 0..warm_up {
        receive(&out)?;
    }
    let begin = Instant::now();
    for _ in warm_up..messages {
        core::hint::black_box(receive(&out)?);
    }
    let micros = begin.elapsed().as_secs_f64() * 1e6;
    stop(child)?;
    Ok((messages - warm_up) as f64 / micros)
}

/// Median over blocks of 100, ns.
fn round_trip<const WORDS: usize>(node: &Node<Service>, blocks: usize) -> Result<f64> {
    let out = publisher::<WORDS>(node, "out")?;
    let back = subscriber::<WORDS>(node, "back")?;
    let child = start("echo", WORDS * 4, blocks * 100)?;
    receive(&back)?;
    let mut ns = Vec::new();
    for _ in 0..blocks {
        let begin = Instant::now();
        for _ in 0..100 {
            send(&out, 1)?;
            core::hint::black_box(receive(&back)?);
        }
        ns.push(begin.elapsed().as_nanos() as f64 / 100.0);
    }
    stop(child)?;
    ns.sort_by(f64::total_cmp);
    Ok(ns[ns.len() / 2])
}

fn report<const WORDS: usize>() -> Result<()> {
    let node = NodeBuilder::new().create::<Service>()?;
    let rate = throughput::<WORDS>(&node, 500_000)?;
    let trip = round_trip::<WORDS>(&node, 50)?;
    println!("{:6} B  {rate:.2} M msg/s  round trip {trip:.0} ns", WORDS * 4);
    Ok(())
}

fn main() -> Result<()> {
    set_log_level(LogLevel::Error);
    let arguments: Vec<String> = std::env::args().collect();
    if arguments.len() == 4 {
        let messages = arguments[3].parse()?;
        return match arguments[2].as_str() {
            "4" => second::<1>(&arguments[1], messages),
            "64" => second::<16>(&arguments[1], messages),
            _ => second::<54>(&arguments[1], messages),
        };
    }
    report::<1>()?;
    report::<16>()?;
    report::<54>()
}
