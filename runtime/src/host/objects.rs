//! Objects of one kind by their ids: live, released, or never made because their creation failed.

use hallmark_schema::model::{Failure, ObjectKind};

/// Objects of one kind by id: ids count creation calls, whether they succeeded or not.
#[derive(Debug)]
pub(crate) struct ObjectTable<T> {
    kind: ObjectKind,
    slots: Vec<Slot<T>>,
    released: u64,
}

#[derive(Debug)]
enum Slot<T> {
    Live(T),
    Released,
    /// The call that would have created it failed, or is still running.
    Failed,
}

impl<T> ObjectTable<T> {
    pub(crate) const fn new(kind: ObjectKind) -> Self {
        Self { kind, slots: Vec::new(), released: 0 }
    }

    /// The id that the next creation call gets.
    pub(crate) fn next(&self) -> u32 {
        u32::try_from(self.slots.len()).unwrap_or(u32::MAX)
    }

    /// Takes the next id; [`ObjectTable::fill`] makes it usable.
    pub(crate) fn reserve(&mut self) -> u32 {
        let id = self.next();
        self.slots.push(Slot::Failed);
        id
    }

    pub(crate) fn fill(&mut self, id: u32, object: T) {
        if let Some(slot) = self.slots.get_mut(id as usize) {
            *slot = Slot::Live(object);
        }
    }

    pub(crate) fn get(&self, id: u32) -> Result<&T, Failure> {
        match self.slots.get(id as usize) {
            Some(Slot::Live(object)) => Ok(object),
            Some(Slot::Released) => Err(Failure::ReleasedObject { object: self.kind, id }),
            Some(Slot::Failed) | None => Err(Failure::UnknownObject { object: self.kind, id }),
        }
    }

    pub(crate) fn get_mut(&mut self, id: u32) -> Result<&mut T, Failure> {
        match self.slots.get_mut(id as usize) {
            Some(Slot::Live(object)) => Ok(object),
            Some(Slot::Released) => Err(Failure::ReleasedObject { object: self.kind, id }),
            Some(Slot::Failed) | None => Err(Failure::UnknownObject { object: self.kind, id }),
        }
    }

    pub(crate) fn release(&mut self, id: u32) -> Result<T, Failure> {
        self.get(id)?;
        self.released = self.released.wrapping_add(1);
        match self.slots.get_mut(id as usize).map(|slot| std::mem::replace(slot, Slot::Released)) {
            Some(Slot::Live(object)) => Ok(object),
            _ => Err(Failure::UnknownObject { object: self.kind, id }),
        }
    }

    /// The number of objects that were released so far.
    pub(crate) const fn released(&self) -> u64 {
        self.released
    }

    /// Objects that were created and not released, ascending by id.
    pub(crate) fn live(&self) -> impl Iterator<Item = (u32, &T)> {
        (0u32..).zip(&self.slots).filter_map(|(id, slot)| match slot {
            Slot::Live(object) => Some((id, object)),
            Slot::Released | Slot::Failed => None,
        })
    }

    /// Forgets everything: ids count from 0 again.
    pub(crate) fn clear(&mut self) {
        self.slots.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_creation_takes_an_id_and_a_released_object_says_so() {
        let mut table = ObjectTable::new(ObjectKind::Buffer);
        assert_eq!(table.reserve(), 0);
        let second = table.reserve();
        table.fill(second, 'b');
        let unknown = |id| Failure::UnknownObject { object: ObjectKind::Buffer, id };
        assert_eq!(table.get(0), Err(unknown(0)));
        assert_eq!(table.get(7), Err(unknown(7)));
        assert_eq!(table.get(second), Ok(&'b'));
        assert_eq!(table.live().count(), 1);
        assert_eq!(table.release(second), Ok('b'));
        let released = Failure::ReleasedObject { object: ObjectKind::Buffer, id: second };
        assert_eq!(table.get(second), Err(released.clone()));
        assert_eq!(table.release(second), Err(released));
        assert_eq!(table.next(), 2);
    }
}
