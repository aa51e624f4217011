//! The ring of shops of examples/time_warp_model in Rust, over the engine's C interface (laxity/timewarp/c_model.h):
//! two threads process events ahead of one another, roll back those that were processed too early, and end with the
//! result of one thread.

use std::ffi::{c_char, c_int, c_void, CStr};
use std::mem::size_of;
use std::ptr;

/// The declarations of laxity/timewarp/c_model.h that this program needs.
mod laxity {
    use std::ffi::{c_char, c_int, c_void};

    #[repr(C)]
    pub struct Context {
        _private: [u8; 0],
    }

    pub type Init = extern "C" fn(*mut Context, *mut c_void, *const c_void);
    pub type Handle = extern "C" fn(*mut Context, *mut c_void, *const c_void, *const c_void);
    pub type Commit = extern "C" fn(u32, f64, *const c_void, *const c_void);
    pub type Reverse = Handle;

    #[repr(C)]
    pub struct Model {
        pub event_bytes: usize,
        pub state_bytes: usize,
        pub lookahead: f64,
        pub parameters: *const c_void,
        pub init: Option<Init>,
        pub handle: Option<Handle>,
        pub commit: Option<Commit>,
        pub reverse: Option<Reverse>,
    }

    #[repr(C)]
    pub struct Run {
        pub logical_processes: u32,
        pub end_time: f64,
        pub seed: u64,
        pub threads: c_int,
        pub processes: c_int,
        pub digest: c_int,
    }

    #[repr(C)]
    #[derive(Default)]
    pub struct Result {
        pub committed: u64,
        pub processed: u64,
        pub rolled_back: u64,
        pub rollbacks: u64,
        pub gvt_rounds: u64,
        pub digest: u64,
        pub seconds: f64,
    }

    #[link(name = "laxity_c")]
    extern "C" {
        pub fn laxity_simulate(
            model: *const Model,
            run: *const Run,
            states: *mut c_void,
            result: *mut Result,
            message: *mut c_char,
            message_bytes: usize,
        ) -> c_int;
        pub fn laxity_self(context: *const Context) -> u32;
        pub fn laxity_logical_processes(context: *const Context) -> u32;
        pub fn laxity_now(context: *const Context) -> f64;
        pub fn laxity_send(context: *mut Context, to: u32, delay: f64, event: *const c_void) -> c_int;
        pub fn laxity_random_unit(context: *mut Context) -> f64;
    }
}

/// The state of a logical process, which is rolled back with its events.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Shop {
    served: i64,
    free_at: f64, // minutes
}

#[repr(C)]
struct Arrival {
    customer: i64,
}

extern "C" fn open_shop(context: *mut laxity::Context, _state: *mut c_void, _parameters: *const c_void) {
    // Safety: the engine passes a context that is valid during the call; it copies the event.
    unsafe {
        let own = laxity::laxity_self(context);
        let first = Arrival { customer: i64::from(own) };
        laxity::laxity_send(context, own, 1.0 + laxity::laxity_random_unit(context), ptr::from_ref(&first).cast());
    }
}

extern "C" fn serve(
    context: *mut laxity::Context,
    state: *mut c_void,
    event: *const c_void,
    _parameters: *const c_void,
) {
    // Safety: as above; the state has `state_bytes`, is aligned to 8 bytes and belongs to this call alone.
    unsafe {
        let shop = &mut *state.cast::<Shop>();
        let now = laxity::laxity_now(context);
        let begin = shop.free_at.max(now);
        let browsing = -5.0 * (1.0 - laxity::laxity_random_unit(context)).ln();
        shop.free_at = begin + 2.0; // minutes at the counter
        shop.served += 1;
        let next = (laxity::laxity_self(context) + 1) % laxity::laxity_logical_processes(context);
        laxity::laxity_send(context, next, begin + 2.0 + browsing - now, event);
    }
}

/// Runs a day of the shops in the given number of threads; 0: on the sequential engine.
fn run(threads: c_int) -> Result<(laxity::Result, Vec<Shop>), String> {
    let day = laxity::Model {
        event_bytes: size_of::<Arrival>(),
        state_bytes: size_of::<Shop>(),
        lookahead: 0.0,
        parameters: ptr::null(),
        init: Some(open_shop),
        handle: Some(serve),
        commit: None,
        reverse: None,
    };
    let run = laxity::Run { logical_processes: 100, end_time: 600.0, seed: 1, threads, processes: 0, digest: 1 };
    let mut shops = vec![Shop::default(); 100];
    let mut result = laxity::Result::default();
    let mut message: [c_char; 256] = [0; 256];
    // Safety: `shops` has room for the states of all processes, and `message` for its bytes.
    let code = unsafe {
        laxity::laxity_simulate(
            &day,
            &run,
            shops.as_mut_ptr().cast(),
            &mut result,
            message.as_mut_ptr(),
            message.len(),
        )
    };
    if code == 0 {
        return Ok((result, shops));
    }
    // Safety: the line ends with a zero.
    Err(unsafe { CStr::from_ptr(message.as_ptr()) }.to_string_lossy().into_owned())
}

fn main() -> Result<(), String> {
    let (alone, _) = run(0)?;
    let (together, shops) = run(2)?;
    println!(
        "{} customers served, {} in shop 0; {} as in one thread",
        together.committed,
        shops[0].served,
        if together.digest == alone.digest { "the same" } else { "not the same" }
    );
    Ok(())
}
